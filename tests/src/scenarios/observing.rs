//! Observers and the notifications that start them.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Observer, Observers, RetryPolicy, Transaction, observer_fn};
use fluo_table::layout::{Partition, notification_column};
use fluo_table::{Bytes, Column, Error, Instance, Outcome, Result};
use tokio::sync::Semaphore;

use super::accounts::hasty;
use super::observed::{
    column, copies, idle, number, read, read_now, set_all, wait_for_permits, work,
};
use crate::{Call, Fixture, Hooks, Intercepted, Latch, until};

pub async fn a_chain_of_strong_observers_runs_to_its_end(instance: Instance) {
    let observers = Observers::new()
        .strong(column("a"), "a", copies("b", |value| value + 1))
        .unwrap()
        .strong(column("b"), "b", copies("c", |value| value * 10))
        .unwrap()
        .strong(column("c"), "c", copies("d", |value| value - 1))
        .unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    let rows = (0..20).map(|row| (format!("row {row}"), row));
    set_all(&client, rows, "a").await;
    assert_eq!(fixture.notifications().await, 20);
    let worker = work(&client).await;
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    for row in 0..20 {
        let seen = read(&now, &format!("row {row}"), "d").await;
        assert_eq!(seen, (row + 1) * 10 - 1);
    }
    assert_eq!(fixture.notifications().await, 0);
    fixture.wait_until_unlocked().await;
    worker.stop().await;
}

/// Adds the inputs of a row to `sum`, and deletes them.
async fn sum_up(tx: &Transaction, row: Bytes) -> Result<(), Error> {
    let columns = ["0", "1", "2"].map(column);
    let mut sum = number(tx.get(row.clone(), &column("sum")).await?);
    for (input, value) in tx.get_columns(row.clone(), &columns).await? {
        sum += number(Some(value));
        tx.delete(row.clone(), &input)?;
    }
    tx.set(row, &column("sum"), sum.to_string())
}

fn sums() -> impl Observer {
    observer_fn(async |tx: Transaction, row: Bytes, _| sum_up(&tx, row).await)
}

pub async fn a_weak_observer_runs_only_when_it_is_notified(instance: Instance) {
    let observers = Observers::new().weak(column("w"), "sum", sums()).unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    let worker = work(&client).await;
    // Setting the column of a weak observer does not notify it.
    set_all(&client, [("set".to_owned(), 1)], "w").await;
    set_all(&client, [("set".to_owned(), 1)], "0").await;
    assert_eq!(fixture.notifications().await, 0);
    client
        .run(async |tx| {
            tx.set("asked", &column("0"), "40")?;
            tx.set("asked", &column("1"), "2")?;
            tx.notify("asked", &column("w"))
        })
        .await
        .unwrap();
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    assert_eq!(read(&now, "asked", "sum").await, 42);
    assert_eq!(read(&now, "asked", "0").await, 0);
    assert_eq!(now.get("set", &column("sum")).await.unwrap(), None);
    assert_eq!(fixture.notifications().await, 0);
    worker.stop().await;
}

/// Checks that a notification that a transaction sets while the weak observer runs is not lost,
/// like `WeakNotificationOverlapIT` of Fluo.
pub async fn a_notification_set_while_the_observer_runs_survives(instance: Instance) {
    let (begun, may_continue) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let observer = observer_fn({
        let (begun, may_continue) = (begun.clone(), may_continue.clone());
        move |tx: Transaction, row: Bytes, _| {
            let (begun, may_continue) = (begun.clone(), may_continue.clone());
            async move {
                // Fixes the snapshot, which could otherwise move to the first read.
                tx.start();
                begun.add_permits(1);
                may_continue.acquire().await.unwrap().forget();
                sum_up(&tx, row).await
            }
        }
    });
    let observers = Observers::new().weak(column("w"), "sum", observer).unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    // The worker finds the notifications of another client only in the table.
    let other = fixture.client().await;
    let worker = work(&client).await;
    let add = async |input: &'static str, value: &'static str| {
        other
            .run(async |tx| {
                tx.set("r", &column(input), value)?;
                tx.notify("r", &column("w"))
            })
            .await
            .unwrap();
    };
    add("0", "1").await;
    wait_for_permits(&begun, 1).await;
    // The snapshot of the running observer does not include this write.
    add("1", "10").await;
    may_continue.add_permits(1);
    wait_for_permits(&begun, 1).await;
    assert_eq!(read_now(&client, "r", "sum").await, 1);
    may_continue.add_permits(1);
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "sum").await, 11);
    worker.stop().await;
}

pub async fn a_delete_notifies_only_the_requested_observer(instance: Instance) {
    // Keeps `copy` equal to `a`, also if `a` is deleted.
    let follow = observer_fn(async |tx: Transaction, row: Bytes, _: Column| {
        match tx.get(row.clone(), &column("a")).await? {
            Some(value) => tx.set(row, &column("copy"), value),
            None => tx.delete(row, &column("copy")),
        }
    });
    let observers = Observers::new()
        .strong(column("a"), "double", copies("double", |value| value * 2))
        .unwrap()
        .weak(column("w"), "follow", follow)
        .unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    let worker = work(&client).await;
    client
        .run(async |tx| {
            for row in ["quiet", "asked"] {
                tx.set(row, &column("a"), "7")?;
                tx.notify(row, &column("w"))?;
            }
            Ok::<_, Error>(())
        })
        .await
        .unwrap();
    idle(&client).await;
    client.run(async |tx| tx.delete("quiet", &column("a"))).await.unwrap();
    assert_eq!(fixture.notifications().await, 0);
    client
        .run(async |tx| {
            tx.delete("asked", &column("a"))?;
            tx.notify("asked", &column("w"))
        })
        .await
        .unwrap();
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    for row in ["quiet", "asked"] {
        assert_eq!(now.get(row, &column("a")).await.unwrap(), None);
        assert_eq!(read(&now, row, "double").await, 14);
    }
    assert_eq!(read(&now, "quiet", "copy").await, 7);
    assert_eq!(now.get("asked", &column("copy")).await.unwrap(), None);
    assert_eq!(fixture.notifications().await, 0);
    worker.stop().await;
}

/// Checks that an observer may delete the cell that it observes, as in a queue. Its notification is
/// removed with it.
pub async fn an_observer_may_delete_the_observed_cell(instance: Instance) {
    let take = observer_fn(async |tx: Transaction, row: Bytes, from: Column| {
        let value = tx.get(row.clone(), &from).await?.unwrap_or_default();
        tx.delete(row.clone(), &from)?;
        tx.set(row, &column("taken"), value)
    });
    let observers = Observers::new().strong(column("a"), "take", take).unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    let worker = work(&client).await;
    for round in 1..=3 {
        set_all(&client, ["x", "y"].map(|row| (row.to_owned(), round)), "a").await;
        idle(&client).await;
        let now = client.snapshot().await.unwrap();
        for row in ["x", "y"] {
            assert_eq!(now.get(row, &column("a")).await.unwrap(), None);
            assert_eq!(read(&now, row, "taken").await, round);
        }
        assert_eq!(fixture.notifications().await, 0);
    }
    worker.stop().await;
}

/// Checks that a strong observer also runs for a transaction that never commits, and without a
/// change. An observer that deletes what it counts does not count it twice.
///
/// A client is suspended in its commit, after it has written the notifications. Its session ends,
/// the observers run, and others roll its transaction back. Another client then makes the change.
pub async fn an_observer_runs_without_a_change_for_a_commit_that_fails(instance: Instance) {
    let counts = observer_fn(async |tx: Transaction, row: Bytes, _| increment(&tx, row, "c").await);
    let takes = observer_fn(async |tx: Transaction, row: Bytes, from: Column| {
        if tx.get(row.clone(), &from).await?.is_none() {
            return Ok(());
        }
        tx.delete(row.clone(), &from)?;
        increment(&tx, row, "t").await
    });
    let observers = Observers::new().strong(column("a"), "counts", counts).unwrap();
    let observers = observers.strong(column("b"), "takes", takes).unwrap();
    let fixture = Fixture::observed(&instance, &observers).await;
    let table = Intercepted::with_hooks(fixture.table.clone(), Announced::default());
    let table = Arc::new(table.row_by_row());
    let latch = &table.hooks().0;
    let suspended = fixture.client_of(table.clone(), hasty()).await;
    // The notifications in the primary's row are written together with its commit.
    let change = |tx: Transaction| async move {
        tx.set("primary", &column("c"), "1")?;
        ["a", "b"].into_iter().try_for_each(|name| tx.set("r", &column(name), "1"))
    };
    let once = RetryPolicy::new().max_attempts(NonZeroU32::MIN.into());
    let once = suspended.runner().retry(once);
    let late = tokio::spawn(async move { once.run(change).await });
    latch.holds_a_task().await;
    fixture.end_session(&suspended).await;
    let (client, worker) = fixture.start().await;
    let counted = async || {
        idle(&client).await;
        [read_now(&client, "r", "c").await, read_now(&client, "r", "t").await]
    };
    assert_eq!(counted().await, [1, 0]);
    client.run(change).await.unwrap();
    assert_eq!(counted().await, [2, 1]);
    latch.open();
    assert!(late.await.unwrap().is_err(), "it was rolled back");
    assert_eq!(counted().await, [2, 1]);
    worker.stop().await;
}

/// Hooks of a table whose writes of notifications take effect but do not return while the latch is
/// closed.
#[derive(Debug, Default)]
struct Announced(Latch);

#[async_trait]
impl Hooks for Announced {
    async fn after(&self, call: &Call, _: &mut Result<Vec<Outcome>>) {
        let mutations = call.mutations();
        let mut updates = mutations.iter().flat_map(|one| &one.updates);
        if updates.any(|update| update.column.family == "ntfy") {
            self.0.pass().await;
        }
    }
}

async fn increment(tx: &Transaction, row: Bytes, to: &'static str) -> Result<()> {
    let before = number(tx.get(row.clone(), &column(to)).await?);
    tx.set(row, &column(to), (before + 1).to_string())
}

const ROWS: usize = 16;
const AT_ONCE: usize = 4;

/// Checks that a worker does not process a notification that another worker has acknowledged.
///
/// The first worker finds all notifications and begins to process some of them. Then the second
/// worker joins, owns half of them from now on, and processes these while the first worker still
/// runs some of them or is about to run them.
pub async fn a_notification_that_another_has_acknowledged_is_not_processed_again(
    instance: Instance,
) {
    let (begun, may_continue) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let observe = |observer| Observers::new().strong(column("a"), "a", observer).unwrap();
    // The workers mark different cells, so that only the acknowledgement prevents a second run.
    let slow = observer_fn({
        let (begun, may_continue) = (begun.clone(), may_continue.clone());
        move |tx: Transaction, row: Bytes, _| {
            let (begun, may_continue) = (begun.clone(), may_continue.clone());
            async move {
                begun.add_permits(1);
                drop(may_continue.acquire().await);
                tx.set(row, &column("by first"), "1")
            }
        }
    });
    let observers = observe(slow);
    let fixture = Fixture::observed(&instance, &observers).await;
    let (client, other) = (fixture.client().await, fixture.client().await);
    let rows = (0..ROWS).map(|row| format!("row {row}"));
    set_all(&client, rows.clone().map(|row| (row, 1)), "a").await;
    // The first worker does not scan again, so it does not notice its new share.
    let hour = Duration::from_secs(3_600);
    let first = client
        .worker()
        .tasks(AT_ONCE)
        .min_scan_pause(hour)
        .max_scan_pause(hour)
        .start()
        .await
        .unwrap();
    wait_for_permits(&begun, u32::try_from(AT_ONCE).unwrap()).await;

    let quick =
        observer_fn(async |tx: Transaction, row: Bytes, _| tx.set(row, &column("by second"), "1"));
    let second = Observers::new().strong(column("a"), "a", quick).unwrap();
    let second = work(&other.with_observers(second)).await;
    let of_second = Partition::new(NonZeroU32::MIN.saturating_add(1), 1).unwrap();
    let hashed = notification_column(&column("a")).qualifier;
    let is_of_second = |row: &String| of_second.contains(row.as_bytes(), &hashed);
    let left = rows.clone().filter(|row| !is_of_second(row)).count();
    assert!((1..ROWS).contains(&left), "{left}");
    until("the second worker has processed its share", async || {
        fixture.notifications().await == left
    })
    .await;
    may_continue.close();
    idle(&client).await;
    let now = client.snapshot().await.unwrap();
    for row in rows {
        let marks = (read(&now, &row, "by first").await, read(&now, &row, "by second").await);
        let expected = if is_of_second(&row) { (0, 1) } else { (1, 0) };
        assert_eq!(marks, expected, "{row}");
    }
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    fixture.wait_until_unlocked().await;
    first.stop().await;
    second.stop().await;
}
