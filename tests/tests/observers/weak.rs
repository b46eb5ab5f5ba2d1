//! Weak observers run when a transaction requests them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::{ClientOptions, Observers, Transaction, observer_fn};
use fluo_table::{Error, ErrorKind};
use fluo_tests::scenarios::observed::{column, copies, idle};
use fluo_tests::{Call, Fixture, Intercepted, Latch};

#[tokio::test]
async fn only_a_column_with_a_weak_observer_can_be_notified() {
    let observers = Observers::new()
        .weak(column("w"), "sum", copies("sum", |value| value))
        .unwrap()
        .strong(column("s"), "copy", copies("b", |value| value))
        .unwrap();
    let client = Fixture::observed_in_memory(observers).await.client().await;
    let tx = client.begin().await.unwrap();
    let error = tx.notify("r", &column("s")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "no weak observer watches the column `f:s`; weak observers watch `f:w`"
    );
}

/// Regression test: notifications were not counted, so a transaction could hold any number of them.
#[tokio::test]
async fn notifications_count_towards_the_size_of_a_transaction() {
    let observer = observer_fn(async |_, _, _| Ok::<_, Error>(()));
    let observers = Observers::new().weak(column("w"), "none", observer);
    let fixture = Fixture::observed_in_memory(observers.unwrap()).await;
    let options = ClientOptions::new().max_transaction_bytes(10);
    let client = fixture.client_of(fixture.table.clone(), options).await;
    let tx = client.begin().await.unwrap();
    // Each has a row of three bytes and a column of two.
    tx.notify("one", &column("w")).unwrap();
    tx.notify("two", &column("w")).unwrap();
    tx.notify("two", &column("w")).unwrap();
    let error = tx.notify("six", &column("w")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "with `six` the transaction would set 15 bytes; the option `max_transaction_bytes` allows 10"
    );
    tx.commit().await.unwrap();
    assert_eq!(fixture.notifications().await, 2, "the rest commits");
}

/// The commit returned before the notification was deleted, and the worker ran it again.
#[tokio::test(start_paused = true)]
async fn an_observer_that_writes_another_row_runs_once() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let observer = observer_fn(move |tx: Transaction, _, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { tx.set("another row", &column("sum"), "1") }
    });
    let observers = Observers::new().weak(column("w"), "set", observer);
    let fixture = Fixture::observed_in_memory(observers.unwrap()).await;
    let writing = Arc::new(Latch::default());
    let held = writing.clone();
    let hold_writes = move |call: &Call| {
        let latch = matches!(call, Call::Write(_)).then(|| held.clone());
        async move {
            if let Some(latch) = latch {
                latch.pass().await;
            }
            Ok(None)
        }
    };
    let table = Intercepted::with_hooks(fixture.table.clone(), hold_writes).row_by_row();
    writing.open();
    let client = fixture.client_on(Arc::new(table)).await;
    client.run(async |tx| tx.notify("r", &column("w"))).await.unwrap();
    writing.close();
    let worker = client.worker().start().await.unwrap();
    writing.holds_a_task().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    writing.open();
    idle(&client).await;
    worker.stop().await;
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(fixture.notifications().await, 0);
}
