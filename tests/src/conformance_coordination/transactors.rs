//! C6 and C17: transactors.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::ErrorKind;
use fluo_table::coordination::{Applications, TransactorId};
use futures::future::join_all;

use super::ground::Ground;

/// Checks C6: numbers begin at 1, and no number is used twice, whether its transactor is alive or
/// not.
pub async fn c6_numbers_begin_at_one_and_are_not_used_twice(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let last = async || ground.coordination.last_transactor().await.unwrap();
    assert_eq!(last().await, TransactorId(0));
    assert_eq!(ground.begin().await.id(), TransactorId(1));
    assert_eq!(last().await, TransactorId(1));
    let tasks = (0..8).map(|task| {
        let coordination = ground.coordination.clone();
        tokio::spawn(async move {
            let mut held = Vec::new();
            let mut ids = Vec::new();
            for n in 0..12 {
                let transactor = coordination.begin_transactor().await.unwrap();
                ids.push(transactor.id());
                if (n + task) % 2 == 0 {
                    held.push(transactor);
                }
            }
            for transactor in &held {
                assert!(coordination.is_alive(transactor.id()).await.unwrap());
            }
            ids
        })
    });
    let ids: Vec<_> = join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    let different: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len());
    assert_eq!(Some(&last().await), different.last());
    assert!(!different.contains(&TransactorId(1)) && !different.contains(&TransactorId(0)));
}

/// Checks C6: a transactor is alive from its beginning until it is dropped, for all handles. A
/// number that was never assigned is not alive.
pub async fn c6_a_transactor_is_alive_until_it_is_dropped(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let other = ground.open().await;
    let (first, second) = (ground.begin().await, ground.begin().await);
    let (first_id, second_id) = (first.id(), second.id());
    assert!(other.is_alive(first_id).await.unwrap() && other.is_alive(second_id).await.unwrap());
    drop(first);
    assert!(!other.is_alive(first_id).await.unwrap());
    assert!(other.is_alive(second_id).await.unwrap());
    for id in [0, second_id.0 + 1, u64::MAX] {
        assert!(!other.is_alive(TransactorId(id)).await.unwrap(), "{id}");
    }
    drop(second);
    assert!(!other.is_alive(second_id).await.unwrap());
}

/// Checks C6: a transactor whose session ends before it is dropped is not alive and does not hold
/// the horizon, and its calls fail.
///
/// `end_session` ends the session of a transactor of an application.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c6_a_transactor_is_not_alive_after_its_session_ends(
    applications: Arc<dyn Applications>,
    end_session: impl AsyncFn(&str, TransactorId),
) {
    let ground = Ground::new(&applications).await;
    let transactor = ground.begin().await;
    let old = ground.next().await;
    transactor.publish_oldest_active(Some(old)).await.unwrap();
    ground.next().await;
    ground.wait_until_holding(&*transactor, true).await;
    end_session(&ground.name, transactor.id()).await;
    ground.wait_until_holding(&*transactor, false).await;
    assert!(!ground.coordination.is_alive(transactor.id()).await.unwrap());
    assert!(!applications.is_running(&ground.name).await.unwrap());
    assert!(ground.advance().await > old);
    for oldest in [Some(old), None] {
        let error = transactor.publish_oldest_active(oldest).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
    let next = ground.begin().await;
    assert!(next.id() > transactor.id());
    // The new transactor works. The old one is still not alive and does not hold the horizon.
    let held = ground.next().await;
    next.publish_oldest_active(Some(held)).await.unwrap();
    ground.next().await;
    let error = transactor.publish_oldest_active(Some(old)).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unavailable);
    assert!(!ground.coordination.is_alive(transactor.id()).await.unwrap());
    assert_eq!(ground.advance().await, held);
    ground.wait_until_holding(&*next, true).await;
    assert!(!transactor.is_holding());
    drop(transactor);
    assert!(ground.coordination.is_alive(next.id()).await.unwrap());
    drop(next);
    ground.end().await;
}
