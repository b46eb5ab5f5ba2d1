//! Flushes between the steps of transactions. A server compacts each file of a table separately, so
//! an entry and the entry that hides it may be in different files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fluo_engine::{Client, ClientOptions, CommitError, Observers, Transaction, observer_fn};
use fluo_table::{Bytes, Column, Instance, Outcome, Result, Span, TableAdmin};

use super::observed::{column, idle, number, read, read_now, set, work};
use crate::{Call, Fixture, Hooks, Intercepted};

/// Hooks that flush a table after every write, so that no two steps of a transaction are in one
/// file.
struct Flushing {
    tables: Arc<dyn TableAdmin>,
    name: String,
}

#[async_trait]
impl Hooks for Flushing {
    async fn after(&self, _: &Call, answer: &mut Result<Vec<Outcome>>) {
        if let Err(error) = self.tables.flush(&self.name).await {
            *answer = Err(error);
        }
    }
}

/// The time after which a lock is rolled back. A read that takes less has not waited for it.
const ROLLBACK: Duration = Duration::from_secs(3_600);

async fn client(fixture: &Fixture) -> Client {
    let flushing = Flushing { tables: fixture.tables.clone(), name: fixture.name.clone() };
    let table = Intercepted::with_hooks(fixture.table.clone(), flushing).row_by_row();
    let options = ClientOptions::new().rollback_after(ROLLBACK);
    fixture.client_of(Arc::new(table), options).await
}

/// Reads a number, and fails if the read waits for a lock.
async fn read_quickly(client: &Client, row: &str, qualifier: &'static str) -> i64 {
    let begun = Instant::now();
    let found = read_now(client, row, qualifier).await;
    let took = begun.elapsed();
    assert!(took < ROLLBACK, "`{row} f:{qualifier}` was read after {took:?}");
    found
}

/// Returns strong observers of `seen`, which is only read, and of `item`, which is deleted and
/// counted.
fn observers() -> Observers {
    let look = observer_fn(async |tx: Transaction, row: Bytes, column: Column| {
        tx.get(row, &column).await.map(drop)
    });
    let take = observer_fn(async |tx: Transaction, row: Bytes, column: Column| {
        let count = number(tx.get("taken", &self::column("count")).await?);
        tx.delete(row, &column)?;
        tx.set("taken", &self::column("count"), (count + 1).to_string())
    });
    Observers::new()
        .strong(column("seen"), "look", look)
        .unwrap()
        .strong(column("item"), "take", take)
        .unwrap()
}

async fn flush(fixture: &Fixture) {
    fixture.tables.flush(&fixture.name).await.unwrap();
}

/// Checks that a flush between the steps of an observer does not restore its lock.
///
/// A strong observer had committed by only acknowledging its notification. Its lock was in one
/// file, and the end of the lock in the next. The flush that wrote the second file dropped the end
/// as garbage, so the lock counted again. A read took 20 seconds instead of 13 milliseconds, and
/// five minutes with other settings.
pub async fn a_flush_between_two_steps_restores_no_lock(instance: Instance) {
    let fixture = Fixture::observed(&instance, &observers()).await;
    let client = client(&fixture).await;
    acknowledge(&fixture, &client).await;
}

/// Checks the same on a table of the Java client, whose iterators run in every flush. There the
/// flush does drop the end of the lock, but a reader that meets the lock sees the acknowledgement.
pub async fn a_lock_that_a_flush_restores_blocks_no_transaction(instance: Instance) {
    let fixture = Fixture::observed(&instance, &observers()).await;
    attach_iterators(&fixture).await;
    let client = client(&fixture).await;
    acknowledge(&fixture, &client).await;
    for amount in 0..3 {
        set(&client, "w", "plain", amount).await;
        flush(&fixture).await;
        assert_eq!(read_quickly(&client, "w", "plain").await, amount);
    }
}

/// Runs an observer that acknowledges, and reads and writes the cell after every flush.
async fn acknowledge(fixture: &Fixture, client: &Client) {
    let worker = work(client).await;
    for value in 1..=3 {
        set(client, "r", "seen", value).await;
        idle(client).await;
        for _ in 0..2 {
            flush(fixture).await;
            assert_eq!(read_quickly(client, "r", "seen").await, value);
        }
    }
    worker.stop().await;
}

/// Attaches the iterators of the Java client to every compaction of the table.
async fn attach_iterators(fixture: &Fixture) {
    let class = |class| format!("org.apache.fluo.accumulo.iterators.{class}");
    for scope in ["minc", "majc"] {
        let gc = format!("table.iterator.{scope}.gc");
        // The option comes first, because the iterator does not start without it.
        for (property, value) in [
            (format!("{gc}.opt.timestamp.gc"), "0".to_owned()),
            (gc, format!("10,{}", class("GarbageCollectionIterator"))),
            (
                format!("table.iterator.{scope}.ntfy"),
                format!("11,{}", class("NotificationIterator")),
            ),
        ] {
            fixture.tables.set_property(&fixture.name, &property, &value).await.unwrap();
        }
    }
}

/// Checks that a queue item is processed once, although it is set twice with a flush in between.
///
/// A flush of the second notification together with its end wrote neither. So the first
/// notification reappeared, and the observer ran again for an item that it had processed.
pub async fn a_queue_item_that_is_set_twice_is_processed_once_despite_flushes(instance: Instance) {
    let fixture = Fixture::observed(&instance, &observers()).await;
    let client = client(&fixture).await;
    for value in 1..=2 {
        set(&client, "q", "item", value).await;
        flush(&fixture).await;
    }
    for _ in 0..2 {
        let worker = work(&client).await;
        idle(&client).await;
        worker.stop().await;
        flush(&fixture).await;
        assert_eq!(fixture.notifications().await, 0);
    }
    assert_eq!(read_quickly(&client, "taken", "count").await, 1);
    let now = client.snapshot().await.unwrap();
    assert_eq!(now.get("q", &column("item")).await.unwrap(), None);
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    collect_and_read(&fixture, &client).await;
}

/// Checks that a garbage collection does not change the queue.
async fn collect_and_read(fixture: &Fixture, client: &Client) {
    client.collect_garbage(&*fixture.tables, &Span::all()).await.unwrap();
    assert_eq!(read_quickly(client, "taken", "count").await, 1);
    fixture.wait_until_unlocked().await;
}

/// Checks that read locks and deletes stay ended after flushes.
///
/// A read lock had ended in one file, and the write that hides its end was in another. A flush
/// dropped the end, and every conflict on the cell was reported as damage.
pub async fn ended_read_locks_and_deletes_stay_ended_despite_flushes(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let client = client(&fixture).await;
    set(&client, "a", "x", 1).await;
    for round in 0..2 {
        let reader = client.begin().await.unwrap();
        let locked = reader.with_read_lock().get("a", &column("x")).await;
        assert_eq!(number(locked.unwrap()), 1, "round {round}");
        reader.set("b", &column("y"), round.to_string()).unwrap();
        let late = client.begin().await.unwrap();
        late.set("a", &column("x"), "9").unwrap();
        reader.commit().await.unwrap();
        // This transaction began before the reader committed.
        let error = late.commit().await.unwrap_err();
        assert!(matches!(error, CommitError::Conflict(_)), "{error}");
        client.run(async |tx| tx.delete("a", &column("x"))).await.unwrap();
        assert_eq!(read_quickly(&client, "a", "x").await, 0);
        conflict(&client).await;
        let now = client.snapshot().await.unwrap();
        assert_eq!(read(&now, "b", "y").await, round);
        drop(now);
        client.collect_garbage(&*fixture.tables, &Span::all()).await.unwrap();
        assert_eq!(read_quickly(&client, "a", "x").await, 1);
    }
}

/// Writes one cell in two concurrent transactions, and checks that the second one fails with a
/// conflict.
async fn conflict(client: &Client) {
    let [first, second] = [client.begin().await.unwrap(), client.begin().await.unwrap()];
    first.set("a", &column("x"), "1").unwrap();
    second.set("a", &column("x"), "2").unwrap();
    first.commit().await.unwrap();
    let error = second.commit().await.unwrap_err();
    assert!(matches!(error, CommitError::Conflict(_)), "{error}");
}
