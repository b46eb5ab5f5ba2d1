//! Helpers of scenarios with observers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use fluo_engine::{Client, Observer, Snapshot, Transaction, Worker, observer_fn};
use fluo_table::{Bytes, Column, Error};
use tokio::sync::Semaphore;

use crate::STUCK;
pub use crate::shop::number;

pub fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

pub async fn read(snapshot: &Snapshot, row: &str, qualifier: &'static str) -> i64 {
    let value = snapshot.get(row.to_owned(), &column(qualifier)).await;
    number(value.unwrap())
}

pub async fn read_now(client: &Client, row: &str, qualifier: &'static str) -> i64 {
    read(&client.snapshot().await.unwrap(), row, qualifier).await
}

pub async fn set(client: &Client, row: &str, qualifier: &'static str, value: i64) {
    set_all(client, [(row.to_owned(), value)], qualifier).await;
}

/// Sets one column of several rows in one transaction.
pub async fn set_all(
    client: &Client,
    rows: impl IntoIterator<Item = (String, i64)> + Clone + Send + Sync,
    qualifier: &'static str,
) {
    client
        .run(async |tx| {
            rows.clone()
                .into_iter()
                .try_for_each(|(row, value)| tx.set(row, &column(qualifier), value.to_string()))
        })
        .await
        .unwrap();
}

/// Waits until no notification is left, with a timeout.
pub async fn idle(client: &Client) {
    let waited = tokio::time::timeout(STUCK, client.wait_until_idle()).await;
    waited.expect("the application does not become idle").unwrap();
}

/// Waits for a number of permits, with a timeout.
pub(super) async fn wait_for_permits(semaphore: &Semaphore, permits: u32) {
    let waited = tokio::time::timeout(STUCK, semaphore.acquire_many(permits)).await;
    waited.expect("the permits do not come").unwrap().forget();
}

/// Starts a worker of a client with the default settings.
pub(super) async fn work(client: &Client) -> Worker {
    client.worker().start().await.unwrap()
}

/// Returns an observer that writes the changed value of its cell to another column of the row.
pub fn copies(
    to: &'static str,
    change: impl Fn(i64) -> i64 + Clone + Send + Sync + 'static,
) -> impl Observer {
    observer_fn(move |tx: Transaction, row: Bytes, from| {
        let change = change.clone();
        async move {
            let value = number(tx.get(row.clone(), &from).await?);
            tx.set(row, &column(to), change(value).to_string())?;
            Ok::<_, Error>(())
        }
    })
}

/// Returns an observer that copies `a` to `b`. It fails on the row `bad` until it is fixed.
pub fn fragile(error: Error, fixed: &Arc<AtomicBool>, runs: &Arc<AtomicU32>) -> impl Observer {
    let (fixed, runs) = (fixed.clone(), runs.clone());
    observer_fn(move |tx: Transaction, row: Bytes, from: Column| {
        let (error, fixed, runs) = (error.clone(), fixed.clone(), runs.clone());
        async move {
            if row == "bad" && !fixed.load(Ordering::SeqCst) {
                runs.fetch_add(1, Ordering::SeqCst);
                return Err(error);
            }
            let value = tx.get(row.clone(), &from).await?.unwrap_or_default();
            tx.set(row, &column("b"), value)
        }
    })
}

/// The workers that ran the observer of each row.
pub type Runs = Arc<Mutex<BTreeMap<Bytes, Vec<usize>>>>;

/// Returns an observer that counts the processed notifications of each row.
pub fn counts(worker: usize, runs: &Runs) -> impl Observer {
    let runs = runs.clone();
    observer_fn(move |tx: Transaction, row: Bytes, _| {
        let runs = runs.clone();
        async move {
            runs.lock().unwrap().entry(row.clone()).or_default().push(worker);
            let count = number(tx.get(row.clone(), &column("count")).await?);
            tx.set(row.clone(), &column("count"), (count + 1).to_string())?;
            Ok::<_, Error>(())
        }
    })
}
