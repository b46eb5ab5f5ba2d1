//! Helpers of scenarios with observers.

use fluo_engine::{Client, Observer, Snapshot, Transaction, Worker, observer_fn};
use fluo_table::{Bytes, Column, Error};
use tokio::sync::Semaphore;

use crate::STUCK;

pub fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

pub fn number(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap())
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
