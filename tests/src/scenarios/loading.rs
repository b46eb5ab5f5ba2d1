//! Loaders with bounded concurrency, and observers that process their data.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::{LoaderOptions, Observers, Transaction, observer_fn};
use fluo_table::{Bytes, Error, Instance, RowColumn};
use tokio::sync::Semaphore;

use super::observed::{column, idle, number, read, work};
use crate::Fixture;

const LOADS: i64 = 300;
const ROWS: i64 = 5;
const TASKS: usize = 8;
const QUEUE: usize = 4;
const OPTIONS: LoaderOptions = LoaderOptions::new().tasks(TASKS).queue(QUEUE);
const ROOM: usize = TASKS + QUEUE;

/// Increments one cell of its row, so that concurrent loads conflict, and adds its number to one of
/// four input cells, which an observer sums up.
async fn load(tx: Transaction, load: i64) -> Result<(), Error> {
    let row = format!("row {}", load % ROWS);
    let count = number(tx.get(row.clone(), &column("count")).await?);
    tx.set(row.clone(), &column("count"), (count + 1).to_string())?;
    let input = format!("{row}/in/{}", load / ROWS % 4);
    let before = number(tx.get(input.clone(), &column("in")).await?);
    tx.set(input, &column("in"), (before + load).to_string())?;
    tx.notify(row, &column("w"))
}

/// Adds the inputs of a row to its sum, and deletes them.
async fn sum_up(tx: Transaction, row: Bytes) -> Result<(), Error> {
    let name = String::from_utf8_lossy(&row).into_owned();
    let inputs = (0..4).map(|at| RowColumn::new(format!("{name}/in/{at}"), column("in")));
    let mut sum = number(tx.get(row.clone(), &column("sum")).await?);
    for (cell, value) in tx.get_many(inputs).await? {
        sum += number(Some(value));
        tx.delete(cell.row, &cell.column)?;
    }
    tx.set(row, &column("sum"), sum.to_string())
}

/// Checks that no load is lost or counted twice if many loaders write the same rows, as tests of
/// Fluo do.
pub async fn loaders_wait_for_capacity_and_lose_no_load(instance: Instance) {
    let sum = observer_fn(async |tx: Transaction, row: Bytes, _| sum_up(tx, row).await);
    let observers = Observers::new().weak(column("w"), "sum", sum).unwrap();
    let fixture = Fixture::observed(&instance, &observers).await;
    let client = fixture.client().await;
    let worker = work(&client).await;
    let loaders = client.loaders(OPTIONS).unwrap();
    let (running, may_continue) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let bring = async |number: i64| {
        let shared = (running.clone(), may_continue.clone());
        let loaded = loaders.load(
            (number, shared),
            async |tx, (number, (running, may_continue))| {
                running.fetch_add(1, Ordering::SeqCst);
                drop(may_continue.acquire().await);
                load(tx, number).await
            },
        );
        loaded.await.unwrap();
    };
    let room = i64::try_from(ROOM).unwrap();
    for number in 0..room {
        bring(number).await;
    }
    // No load continues, so there is no capacity, however long the caller waits.
    let waited = tokio::time::timeout(Duration::from_millis(200), bring(room)).await;
    assert!(waited.is_err(), "there is no room");
    assert_eq!(running.load(Ordering::SeqCst), TASKS);
    may_continue.close();
    for number in room..LOADS {
        bring(number).await;
    }
    loaders.finish().await.unwrap();
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    for row in 0..ROWS {
        let name = format!("row {row}");
        assert_eq!(read(&now, &name, "count").await, LOADS / ROWS, "{name}");
        let expected: i64 = (0..LOADS).filter(|load| load % ROWS == row).sum();
        assert_eq!(read(&now, &name, "sum").await, expected, "{name}");
    }
    assert_eq!(fixture.notifications().await, 0);
    fixture.wait_until_unlocked().await;
    worker.stop().await;
    fixture.end().await;
}
