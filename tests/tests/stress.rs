//! Many tasks on several threads: concurrent transfers, counters, readers, observers and garbage
//! collection, on the tables in memory and on the embedded table. The simulation runs on one
//! thread, so it cannot test two threads at one lock, queue or list.
//!
//! `FLUO_SOAK` multiplies the time.

#![cfg(test)]
#![allow(clippy::print_stdout, reason = "a test prints what it did")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fluo_engine::{
    Client, ClientOptions, CommitError, Observers, RetryPolicy, Transaction, observer_fn,
};
use fluo_table::{Bytes, Column, Error, Instance, Span};
use fluo_tests::shop::{ACCOUNTS, SUM, account, balance, balances, number, open_accounts};
use fluo_tests::{Fixture, STUCK, soak};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

const COUNTERS: usize = 4;
/// Clients of the application, each with a worker.
const CLIENTS: usize = 3;
/// Number of tasks of a client that transfer. The same number of tasks count.
const TASKS: usize = 4;
/// Duration of a usual run.
const USUAL: Duration = Duration::from_secs(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_on_tables_in_memory_keep_every_sum() {
    stress(Instance::in_memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_on_an_embedded_table_keep_every_sum() {
    let directory = tempfile::tempdir().unwrap();
    stress(fluo_embedded::open(directory.path()).unwrap()).await;
}

/// The counts of all tasks.
#[derive(Debug, Default)]
struct Tally {
    transfers: AtomicU64,
    conflicts: AtomicU64,
    /// Commits of each counter.
    counted: [AtomicU64; COUNTERS],
    snapshots: AtomicU64,
}

async fn stress(instance: Instance) {
    let fixture = Fixture::observed(&instance, &observers()).await;
    let mut clients = Vec::new();
    let mut workers = Vec::new();
    for _ in 0..CLIENTS {
        let client = fixture.client_of(fixture.table.clone(), hasty()).await;
        workers.push(client.worker().start().await.unwrap());
        clients.push(client);
    }
    open_accounts(&clients[0]).await.unwrap();

    let (tally, end) =
        (Arc::new(Tally::default()), Instant::now() + USUAL * u32::try_from(soak()).unwrap());
    let mut tasks = JoinSet::new();
    for (number, client) in clients.iter().enumerate() {
        for task in 0..TASKS {
            let seed = u64::try_from(number * TASKS + task).unwrap();
            tasks.spawn(transfer(client.clone(), tally.clone(), end, seed));
            tasks.spawn(count(client.clone(), tally.clone(), end, seed));
        }
        tasks.spawn(look(client.clone(), tally.clone(), end));
        tasks.spawn(collect(client.clone(), instance.clone(), end));
    }
    let all = async {
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
    };
    let ended = timeout(STUCK * u32::try_from(soak()).unwrap(), all).await;
    ended.expect("the tasks never end");
    check(&clients[0], &tally).await;
    for worker in workers {
        worker.stop().await;
    }
    println!("{tally:?}");
}

/// Returns settings with which garbage is collected, and locks are rolled back, within a run.
fn hasty() -> ClientOptions {
    ClientOptions::new()
        .horizon_period(Duration::from_millis(50))
        .rollback_after(Duration::from_secs(20))
}

fn patient() -> RetryPolicy {
    RetryPolicy::new().max_elapsed(STUCK)
}

/// Returns the column of a count that a strong observer copies.
fn counted() -> Column {
    Column::new("counter", "count")
}

fn copied() -> Column {
    Column::new("counter", "copied")
}

fn observers() -> Observers {
    let copy = observer_fn(async |tx: Transaction, row: Bytes, column: Column| {
        let value = tx.get(row.clone(), &column).await?.unwrap_or_default();
        tx.set(row, &copied(), value)
    });
    Observers::new().strong(counted(), "copy", copy).unwrap()
}

fn counter(number: usize) -> String {
    format!("counter {number}")
}

/// Moves money, sometimes without a runner, so that conflicts are returned.
async fn transfer(client: Client, tally: Arc<Tally>, end: Instant, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    while Instant::now() < end {
        let (from, to) = (random.u64(..ACCOUNTS), random.u64(..ACCOUNTS));
        if from == to {
            continue;
        }
        let tx = client.begin().await.unwrap();
        let balances = [account(from), account(to)];
        let mut found = Vec::new();
        for row in &balances {
            found.push(number(tx.get(row.clone(), &balance()).await.unwrap()));
        }
        let amount = random.i64(1..=10).min(found[0]);
        tx.set(balances[0].clone(), &balance(), (found[0] - amount).to_string()).unwrap();
        tx.set(balances[1].clone(), &balance(), (found[1] + amount).to_string()).unwrap();
        let committed = match random.bool() {
            true => tx.commit().await,
            false => client.commit_in_background(tx).await.await,
        };
        match committed {
            Ok(_) => tally.transfers.fetch_add(1, Ordering::Relaxed),
            Err(CommitError::Conflict(_) | CommitError::SnapshotTooOld(_)) => {
                tally.conflicts.fetch_add(1, Ordering::Relaxed)
            }
            Err(error) => panic!("a transfer failed: {error}"),
        };
    }
}

async fn count(client: Client, tally: Arc<Tally>, end: Instant, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    while Instant::now() < end {
        let which = random.usize(..COUNTERS);
        let counted_up = client
            .runner()
            .retry(patient())
            .run(async |tx| {
                let count = number(tx.get(counter(which), &counted()).await?);
                tx.set(counter(which), &counted(), (count + 1).to_string())?;
                Ok::<_, Error>(())
            })
            .await;
        counted_up.unwrap();
        tally.counted[which].fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads snapshots. Each one shows the whole sum, and the same balances twice.
async fn look(client: Client, tally: Arc<Tally>, end: Instant) {
    while Instant::now() < end {
        let snapshot = client.snapshot().await.unwrap();
        let first = balances(&snapshot).await;
        let whole: i64 = first.iter().sum();
        assert_eq!(whole, SUM, "at {}", snapshot.start());
        let again = balances(&snapshot).await;
        assert_eq!(again, first, "at {}", snapshot.start());
        tally.snapshots.fetch_add(1, Ordering::Relaxed);
    }
}

async fn collect(client: Client, tables: Instance, end: Instant) {
    while Instant::now() < end {
        sleep(Duration::from_millis(200)).await;
        client.collect_garbage(&tables, &Span::all()).await.unwrap();
    }
}

/// Checks that every counter, and its copy once the workers are idle, equals its commits, and that
/// no money is lost.
async fn check(client: &Client, tally: &Tally) {
    let idle = timeout(STUCK, client.wait_until_idle()).await;
    idle.expect("the workers are never idle").unwrap();
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    let snapshot = client.snapshot().await.unwrap();
    let whole: i64 = balances(&snapshot).await.iter().sum();
    assert_eq!(whole, SUM);
    for (which, committed) in (0..COUNTERS).zip(&tally.counted) {
        let found = snapshot.get(counter(which), &counted()).await.unwrap();
        let copy = snapshot.get(counter(which), &copied()).await.unwrap();
        let committed = i64::try_from(committed.load(Ordering::Relaxed)).unwrap();
        assert_eq!(number(found), committed, "counter {which}");
        assert_eq!(number(copy), committed, "copy of counter {which}");
    }
    let transfers = tally.transfers.load(Ordering::Relaxed);
    assert!(transfers > 0, "no transfer has committed: {tally:?}");
}
