//! C14: the epochs of openings.

use std::sync::Arc;

use fluo_table::ErrorKind;
use fluo_table::coordination::{Application, Applications};

use super::ground::Ground;
use crate::unused_name::unused_name as unused_table;

/// Checks C14: all handles of an opening return the same epoch, also for a table that already has
/// it.
pub async fn c14_an_opening_has_one_epoch(applications: Arc<dyn Applications>) {
    let application = Application::new("1", unused_table("t"));
    let ground = Ground::with(&applications, application).await;
    let (one, other) = (ground.open().await, ground.open().await);
    let epoch = one.begin_epoch(None).await.unwrap();
    assert!(!epoch.is_empty() && !epoch.contains('\n'));
    assert_eq!(other.begin_epoch(None).await.unwrap(), epoch);
    assert_eq!(other.begin_epoch(Some(&epoch)).await.unwrap(), epoch);
    other.check_epoch(Some(&epoch)).await.unwrap();
    other.check_epoch(None).await.unwrap();
}

/// Checks C14: an epoch that this coordination never recorded is rejected, and nothing is recorded.
pub async fn c14_the_epoch_of_a_copy_is_rejected(applications: Arc<dyn Applications>) {
    let application = Application::new("1", unused_table("t"));
    let ground = Ground::with(&applications, application).await;
    let coordination = ground.open().await;
    for begun in [false, true] {
        if begun {
            coordination.begin_epoch(None).await.unwrap();
        }
        for _ in 0..2 {
            let refused = coordination.check_epoch(Some("of a copy")).await;
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
            let refused = coordination.begin_epoch(Some("of a copy")).await;
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
        }
    }
}
