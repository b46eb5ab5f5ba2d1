//! Collection of garbage on tables that earlier versions or other programs created, and on a
//! schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::ClientOptions;
use fluo_table::{Column, Error, ErrorKind, MemoryTables, Span, TableAdmin};
use fluo_tests::{Call, FaultyTables, Fixture, Intercepted};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::gated::Gated;

const GARBAGE: &str = "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const NOTIFICATIONS: &str = "11,org.apache.fluo.accumulo.iterators.NotificationIterator";

async fn set(fixture: &Fixture, properties: &[(&str, &str)]) {
    for (name, value) in properties {
        fixture.tables.set_property("web", name, value).await.unwrap();
    }
}

async fn properties(fixture: &Fixture) -> BTreeMap<String, String> {
    fixture.tables.properties("web").await.unwrap()
}

async fn collect(fixture: &Fixture) {
    let client = fixture.client().await;
    client.collect_garbage(&*fixture.tables, &Span::all()).await.unwrap();
}

/// Removes the iterators of an application that an earlier version initialized, at the first
/// collection of garbage.
#[tokio::test]
async fn detaches_the_iterators_of_an_earlier_version() {
    let fixture = Fixture::in_memory().await;
    let before = properties(&fixture).await;
    let other = ("table.iterator.majc.mine", "30,org.example.Mine");
    set(
        &fixture,
        &[
            ("table.iterator.majc.gc", GARBAGE),
            ("table.iterator.majc.gc.opt.timestamp.gc", "7"),
            ("table.iterator.minc.gc", GARBAGE),
            ("table.iterator.minc.gc.opt.timestamp.gc", "0"),
            ("table.iterator.majc.ntfy", NOTIFICATIONS),
            ("table.iterator.minc.ntfy", NOTIFICATIONS),
            other,
        ],
    )
    .await;
    collect(&fixture).await;
    let mut after = properties(&fixture).await;
    assert_eq!(after.remove(other.0).as_deref(), Some(other.1));
    assert_eq!(after, before);
}

/// Reproduces a bug: on a table that Fluo's Java client created, a collection set the horizon as an
/// option of the attached iterator. The iterator preferred it to the one in ZooKeeper, so the
/// servers never collected above that number again.
///
/// An option that an earlier version left is removed, and nothing else. From then on the servers
/// use the horizon in ZooKeeper again.
#[tokio::test]
async fn leaves_no_horizon_on_a_table_of_the_java_client() {
    let fluo = "localhost/fluo/web";
    let horizons =
        ["table.iterator.majc.gc.opt.timestamp.gc", "table.iterator.minc.gc.opt.timestamp.gc"];
    for left in [&[][..], &horizons] {
        let fixture = Fixture::in_memory().await;
        set(
            &fixture,
            &[
                ("table.iterator.majc.gc", GARBAGE),
                ("table.iterator.majc.gc.opt.zookeeper.connect", fluo),
                ("table.iterator.minc.gc", GARBAGE),
                ("table.iterator.minc.gc.opt.zookeeper.connect", fluo),
                ("table.iterator.majc.ntfy", NOTIFICATIONS),
                ("table.iterator.minc.ntfy", NOTIFICATIONS),
            ],
        )
        .await;
        let before = properties(&fixture).await;
        for option in left {
            set(&fixture, &[(option, "7")]).await;
        }
        collect(&fixture).await;
        assert_eq!(properties(&fixture).await, before, "with {left:?}");
    }
}

/// Reproduces a bug: no code called `collect_garbage`, so garbage grew without a limit, and
/// snapshots became stale anyway.
#[tokio::test(start_paused = true)]
async fn collects_garbage_on_a_schedule() {
    let (fixture, client) = Fixture::in_memory().await.with_client().await;
    let hour = Duration::from_secs(3_600);
    let mut workers = Vec::new();
    for _ in 0..2 {
        let worker = client.worker().garbage_period(hour).collect_garbage(fixture.tables.clone());
        workers.push(worker.start().await.unwrap());
    }
    let column = Column::new("f", "q");
    for round in 0..3 {
        for value in 0..10 {
            let value = value.to_string();
            let written: fluo_table::Result<()> =
                client.run(async |tx| tx.set("r", &column, value.clone())).await;
            written.unwrap();
        }
        assert!(fixture.cells().await.len() > 10, "{round}");
        sleep(hour + hour / 2).await;
        assert!(fixture.cells().await.len() < 5, "{round}");
    }
    for worker in workers {
        worker.stop().await;
    }
}

/// Each worker process compacted the whole table in every period. Now one does, and another one
/// takes over after it has ended.
#[tokio::test(start_paused = true)]
async fn one_process_collects_the_garbage_of_an_application() {
    let fixture = Fixture::in_memory().await;
    let tables = Arc::new(FaultyTables::new(fixture.tables.clone()));
    let hour = Duration::from_secs(3_600);
    let mut workers = Vec::new();
    for _ in 0..4 {
        let client = fixture.client().await;
        let worker = client.worker().garbage_period(hour).collect_garbage(tables.clone());
        workers.push(worker.start().await.unwrap());
    }
    let compactions = || tables.compactions();
    sleep(hour * 5).await;
    assert_eq!(compactions(), 5);
    for left in (1..4).rev() {
        let before = compactions();
        workers.pop().unwrap().stop().await;
        sleep(hour + hour / 2).await;
        assert!(compactions() > before, "{left} workers are left");
    }
}

/// A process took the duty for its next range at once. So transient ranges were compacted only
/// after the whole collection.
#[tokio::test(start_paused = true)]
async fn others_compact_between_two_ranges_of_a_collection() {
    let fixture = Fixture::in_memory().await;
    let splits = (0..200).map(|row| format!("{row:03}").into()).collect::<BTreeSet<_>>();
    fixture.tables.add_splits("web", &splits).await.unwrap();
    let (client, other) = (fixture.client().await, fixture.client().await);
    let first_range = Arc::new(Notify::new());
    let collecting = {
        let (tables, first_range) = (fixture.tables.clone(), first_range.clone());
        tokio::spawn(async move {
            let progress = |done, _| {
                if done == 1 {
                    first_range.notify_one();
                }
            };
            let all = Span::all();
            client.collect_garbage_with(&*tables, &all, progress).await
        })
    };
    first_range.notified().await;
    let row = Span::row("a");
    let collected = other.collect_garbage(&*fixture.tables, &row);
    collected.await.unwrap();
    assert!(!collecting.is_finished());
    collecting.await.unwrap().unwrap();
}

/// The first range of a table with too many new files ended each collection, so the others were
/// never compacted.
#[tokio::test(start_paused = true)]
async fn a_range_that_is_unavailable_does_not_stop_the_others() {
    let fixture = Fixture::in_memory().await;
    let splits = (0..200).map(|row| format!("{row:03}").into()).collect::<BTreeSet<_>>();
    fixture.tables.add_splits("web", &splits).await.unwrap();
    for (kind, compacted) in [(ErrorKind::Unavailable, 4), (ErrorKind::Denied, 1)] {
        let compactions = Arc::new(AtomicUsize::new(0));
        let count = compactions.clone();
        let fail_first = move |call: &Call| {
            let is_first =
                matches!(call, Call::Compact { .. }) && count.fetch_add(1, Ordering::SeqCst) == 0;
            ready(match is_first {
                true => Err(Error::new(kind, "the first range fails")),
                false => Ok(None),
            })
        };
        let tables: Arc<dyn TableAdmin> = fixture.tables.clone();
        let tables = Intercepted::with_hooks(tables, fail_first);
        let client = fixture.client().await;
        let collected = client.collect_garbage(&tables, &Span::all()).await;
        assert_eq!(collected.unwrap_err().kind(), kind);
        assert_eq!(compactions.load(Ordering::SeqCst), compacted, "{kind:?}");
    }
}

/// Checks that a worker whose table cannot be compacted continues to run and retries.
#[tokio::test(start_paused = true)]
async fn retries_a_collection_that_failed() {
    let client = Fixture::in_memory().await.client().await;
    let without_the_table = Arc::new(MemoryTables::new());
    let worker = client.worker().collect_garbage(without_the_table).start().await.unwrap();
    sleep(Duration::from_secs(24 * 3_600)).await;
    client.wait_until_idle().await.unwrap();
    worker.stop().await;
}

/// Reproduces a bug: a run ended exactly when the lock that blocked it was rolled back, because
/// both took five minutes. So one process that hung made the runs of others fail.
#[tokio::test(start_paused = true)]
async fn waits_longer_for_a_commit_than_a_hanging_lock_lasts() {
    for minutes in [5, 60] {
        let fixture = Fixture::in_memory().await;
        let stalled = Gated::after(1, &fixture.table);
        let hanging = fixture.client_on(stalled.clone()).await;
        let tx = hanging.begin().await.unwrap();
        tx.set("r", &Column::new("f", "q"), "1").unwrap();
        let commit = tokio::spawn(tx.commit());
        stalled.hooks().latch.holds_a_task().await;

        let options = ClientOptions::new().rollback_after(Duration::from_secs(60 * minutes));
        let client = fixture.client_of(fixture.table.clone(), options).await;
        let written: fluo_table::Result<()> =
            client.run(async |tx| tx.set("r", &Column::new("f", "q"), "2")).await;
        written.unwrap();
        commit.abort();
    }
}

/// A process that may not compact kept the duty for ever, so no garbage was collected.
#[tokio::test(start_paused = true)]
async fn a_process_that_may_not_collect_leaves_it_to_another() {
    let fixture = Fixture::in_memory().await;
    let denied = Intercepted::with_hooks(fixture.tables.clone(), |call: &Call| {
        ready(match call {
            Call::Compact { .. } => Err(Error::new(ErrorKind::Denied, "the user may not compact")),
            _ => Ok(None),
        })
    });
    let permitted = Arc::new(FaultyTables::new(fixture.tables.clone()));
    let hour = Duration::from_secs(3_600);
    let (first, second) = (fixture.client().await, fixture.client().await);
    let first = first.worker().garbage_period(hour).collect_garbage(Arc::new(denied));
    let first = first.start().await.unwrap();
    sleep(hour / 2).await;
    let second = second.worker().garbage_period(hour).collect_garbage(permitted.clone());
    let second = second.start().await.unwrap();
    sleep(hour * 3).await;
    assert!(permitted.compactions() > 0);
    first.stop().await;
    second.stop().await;
}
