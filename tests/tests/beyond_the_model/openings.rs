//! An application that several processes open at the same time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::InstanceExt;
use fluo_table::coordination::Epochs;
use fluo_table::{Instance, TableAdmin};
use fluo_tests::{Call, Intercepted};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Covers a bug: an opening waited half a minute to see its epoch in the table, although another
/// process had written a later one.
#[tokio::test(start_paused = true)]
async fn an_opening_does_not_wait_for_an_epoch_that_was_replaced() {
    let fluo = Instance::in_memory();
    fluo.application("web").initialize().await.unwrap();
    let tables: Arc<dyn TableAdmin> = fluo.table_admin().clone();
    tables.remove_property("web", Epochs::PROPERTY).await.unwrap();
    let (waits, mut waiting) = mpsc::unbounded_channel();
    let wait_for_ever = move |call: &Call| {
        let is_property = matches!(call, Call::Admin("set_property"));
        if is_property {
            waits.send(()).unwrap();
        }
        async move {
            if is_property {
                pending::<()>().await;
            }
            Ok(None)
        }
    };
    let slow = Arc::new(Intercepted::with_hooks(tables, wait_for_ever));
    let slow = Instance::new(slow, fluo.applications().clone());
    let opening = tokio::spawn(async move { slow.application("web").open().await });
    waiting.recv().await.unwrap();
    assert!(!opening.is_finished());
    fluo.application("web").open().await.unwrap();
    let opened = timeout(Duration::from_secs(60), opening).await;
    opened.unwrap().unwrap().unwrap();
}
