//! Panics in the code of an observer, also outside of its future.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use fluo_engine::{Observer, ObserverError, Observers, Transaction};
use fluo_table::{Bytes, Column};
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::{column, copies, idle, read_now, set};

/// An observer that panics before it returns a future, which only a manual implementation can do.
#[derive(Debug, Default)]
struct Sudden {
    runs: AtomicUsize,
}

impl Observer for Sudden {
    fn process<'life0, 'async_trait>(
        &'life0 self,
        _tx: Transaction,
        _row: Bytes,
        _column: Column,
    ) -> Pin<Box<dyn Future<Output = Result<(), ObserverError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        let run = self.runs.fetch_add(1, Ordering::SeqCst);
        assert!(run > 100, "run {run} has no future");
        Box::pin(async { Ok(()) })
    }
}

/// An error that panics when it is formatted.
#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no words")
    }
}

impl StdError for Unspeakable {}

/// Runs an observer of `a` and one of `other` in one task, and returns the recorded error of `a`.
async fn error_of(observer: impl Observer) -> String {
    let observers = Observers::new()
        .strong(column("a"), "a", observer)
        .unwrap()
        .strong(column("other"), "other", copies("b", |value| value))
        .unwrap();
    let client = Fixture::observed_in_memory(observers).await.client().await;
    let worker = client.worker().tasks(1).start().await.unwrap();
    set(&client, "r", "a", 1).await;
    set(&client, "r", "other", 7).await;
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "b").await, 7, "the task continues");
    let failed = client.failed_notifications().await.unwrap();
    worker.stop().await;
    // No transaction is open any more: the horizon rises to the next timestamp.
    let now = client.begin().await.unwrap().commit().await.unwrap().start;
    assert!(client.advance_horizon().await.unwrap() > now);
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].tries, 10);
    failed[0].error.clone()
}

/// Regression test: the panic ended the task, and its cell was marked as running forever.
#[tokio::test(start_paused = true)]
async fn a_panic_before_the_future_is_a_failure() {
    assert_eq!(error_of(Sudden::default()).await, "the observer `a` panicked: run 9 has no future");
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_future_is_a_failure() {
    let observer = fluo_engine::observer_fn(async |_, _, _| -> Result<(), ObserverError> {
        panic!("cannot count pages")
    });
    assert_eq!(error_of(observer).await, "the observer `a` panicked: cannot count pages");
}

/// Regression test: an error that panics when it is formatted had the same effect.
#[tokio::test(start_paused = true)]
async fn a_panic_while_an_error_is_formatted_is_a_failure() {
    let observer = fluo_engine::observer_fn(async |_, _, _| Err::<(), _>(Unspeakable));
    assert_eq!(error_of(observer).await, "the observer `a` panicked: no words");
}
