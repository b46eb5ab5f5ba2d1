//! Reads that meet the lock of a live transaction: the calls that they make until it ends. The
//! clock is paused.
#![cfg(test)]

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Client, ClientOptions, Transaction};
use fluo_table::coordination::Coordination;
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue};
use fluo_table::{Bytes, Column, Error, Filter, Mutation, Result, RowColumn, Timestamp};
use fluo_tests::{Call, Fault, Fixture, Hooks, Intercepted, Latch};
use futures::future::try_join_all;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

const READERS: usize = 10;
/// The row whose lock waits, after the primary's row `a` was locked.
const HELD: &str = "b";

fn column() -> Column {
    Column::new("f", "q")
}

/// Counts the scans of a table, and holds the locks of the row [`HELD`].
#[derive(Debug, Default)]
struct Locks {
    locking: Latch,
    snapshots: AtomicUsize,
    other_scans: AtomicUsize,
}

#[async_trait]
impl Hooks for Locks {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if let Call::Scan(scan) = call {
            let counter = match scan.filter {
                Filter::Snapshot { .. } => &self.snapshots,
                _ => &self.other_scans,
            };
            counter.fetch_add(1, Ordering::SeqCst);
        }
        if call.is_write() && call.mutations().iter().any(|one| one.row == HELD) {
            self.locking.pass().await;
        }
        Ok(None)
    }
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    Given,
    Refused,
    Missing,
}

/// Counts and answers the requests `is_alive`.
#[derive(Debug)]
struct Owners {
    asked: AtomicUsize,
    answer: Answer,
}

#[async_trait]
impl Hooks for Owners {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if !matches!(call, Call::Coordination(call) if *call == "is_alive".into()) {
            return Ok(None);
        }
        self.asked.fetch_add(1, Ordering::SeqCst);
        match self.answer {
            Answer::Given => Ok(None),
            Answer::Refused => Ok(Some(Fault::Before)),
            Answer::Missing => pending().await,
        }
    }
}

struct Ground {
    fixture: Fixture,
    locks: Arc<Intercepted<dyn fluo_table::Table, Locks>>,
    owners: Arc<Intercepted<dyn Coordination, Owners>>,
    client: Client,
}

impl Ground {
    async fn new(answer: Answer) -> Self {
        let fixture = Fixture::in_memory().await;
        let locks = Intercepted::with_hooks(fixture.table.clone(), Locks::default());
        let locks = Arc::new(locks.row_by_row());
        let owners = Owners { asked: AtomicUsize::default(), answer };
        let owners = Arc::new(Intercepted::with_hooks(fixture.coordination.clone(), owners));
        let client = Client::open(locks.clone(), owners.clone(), ClientOptions::new());
        let client = client.await.unwrap();
        Self { fixture, locks, owners, client }
    }

    /// Begins a commit of the rows `a` and `b`, and returns it once `a` is locked.
    async fn lock(&self, owner: &Client) -> JoinHandle<Result<()>> {
        let owner = owner.clone();
        let commit = tokio::spawn(async move {
            let set = async |tx: Transaction| {
                tx.set("a", &column(), "1")?;
                tx.set(HELD, &column(), "1")
            };
            owner.run::<_, Error, _>(set).await
        });
        self.locks.hooks().locking.holds_a_task().await;
        commit
    }

    /// Starts readers of the locked row.
    fn readers(&self) -> Vec<JoinHandle<Result<Option<Bytes>>>> {
        let reader = || {
            let client = self.client.clone();
            tokio::spawn(async move { client.run(async |tx| tx.get("a", &column()).await).await })
        };
        (0..READERS).map(|_| reader()).collect()
    }

    fn count(&self) -> [usize; 3] {
        let (locks, owners) = (self.locks.hooks(), self.owners.hooks());
        let counters = [&locks.snapshots, &locks.other_scans, &owners.asked];
        counters.map(|counter| counter.load(Ordering::SeqCst))
    }
}

/// Readers looked at the primary and asked for the owner, again and again. Now they only read once
/// a second, together.
#[tokio::test(start_paused = true)]
async fn readers_wait_for_a_commit_of_the_same_client_with_one_call_a_second() {
    let ground = Ground::new(Answer::Given).await;
    let commit = ground.lock(&ground.client).await;
    let before = ground.count();
    let readers = ground.readers();
    sleep(Duration::from_millis(4_500)).await;
    assert!(readers.iter().all(|reader| !reader.is_finished()));
    let [snapshots, others, asked] = ground.count();
    assert!((5..=12).contains(&(snapshots - before[0])), "{snapshots} scans of snapshots");
    assert_eq!([others, asked], [before[1], before[2]]);
    let released = Instant::now();
    ground.locks.hooks().locking.open();
    commit.await.unwrap().unwrap();
    // They began before it committed.
    let found = try_join_all(readers).await.unwrap();
    assert!(found.into_iter().all(|found| found.unwrap().is_none()));
    assert!(released.elapsed() < Duration::from_millis(50), "{:?}", released.elapsed());
}

/// A commit that hangs is rolled back after the usual time, although it is of the same client.
#[tokio::test(start_paused = true)]
async fn a_commit_of_the_same_client_that_hangs_times_out() {
    let ground = Ground::new(Answer::Given).await;
    let commit = ground.lock(&ground.client).await;
    let (begun, patience) = (Instant::now(), Duration::from_secs(300));
    let found = try_join_all(ground.readers()).await.unwrap();
    assert!(found.into_iter().all(|found| found.unwrap().is_none()));
    let waited = begun.elapsed();
    assert!(waited >= patience && waited < patience + Duration::from_secs(5), "{waited:?}");
    commit.abort();
}

/// Each of the readers sent two requests to ZooKeeper with each of its looks.
#[tokio::test(start_paused = true)]
async fn readers_share_one_request_a_second_for_the_owner_of_a_lock() {
    let ground = Ground::new(Answer::Given).await;
    let owner = ground.fixture.client_on(ground.locks.clone()).await;
    let commit = ground.lock(&owner).await;
    let [.., before] = ground.count();
    let readers = ground.readers();
    sleep(Duration::from_secs(5)).await;
    let [.., asked] = ground.count();
    assert!((3..=6).contains(&(asked - before)), "{} requests in 5 s", asked - before);
    assert!(readers.iter().all(|reader| !reader.is_finished()));
    ground.locks.hooks().locking.open();
    commit.await.unwrap().unwrap();
    try_join_all(readers).await.unwrap().into_iter().for_each(|found| drop(found.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn rolls_back_an_owner_whose_session_ends() {
    let ground = Ground::new(Answer::Given).await;
    let owner = ground.fixture.client_on(ground.locks.clone()).await;
    let commit = ground.lock(&owner).await;
    let readers = ground.readers();
    sleep(Duration::from_millis(500)).await;
    ground.fixture.end_session(&owner).await;
    let ended = Instant::now();
    let found = try_join_all(readers).await.unwrap();
    assert!(found.into_iter().all(|found| found.unwrap().is_none()));
    assert!(ended.elapsed() < Duration::from_secs(3), "{:?}", ended.elapsed());
    commit.abort();
}

/// Each reader asked for the owner of its lock, one after the other.
#[tokio::test(start_paused = true)]
async fn readers_of_many_locks_share_the_answer_that_their_owner_is_dead() {
    let ground = Ground::new(Answer::Given).await;
    let owner = ground.fixture.client().await;
    let transactor = owner.transactor();
    for _ in 0..READERS {
        drop(owner.begin().await.unwrap());
    }
    drop(owner);
    let row = |number: usize| Bytes::from(format!("row {number}"));
    let locks = (1..=READERS).map(|number| {
        let start = Timestamp::new(u64::try_from(number).unwrap()).unwrap();
        let primary = RowColumn::new(row(number), column());
        let lock =
            LockValue { primary, transactor, is_write: true, is_delete: false, is_trigger: false };
        let locked = EntryTimestamp::new(EntryKind::Lock, start).encode();
        Mutation::new(row(number)).put_at(column(), locked, lock.encode())
    });
    ground.fixture.write(locks.collect()).await;
    let reads = (1..=READERS).map(|number| {
        let client = ground.client.clone();
        async move { client.run(async |tx| tx.get(row(number), &column()).await).await }
    });
    let begun = Instant::now();
    let found: Vec<Option<Bytes>> = try_join_all(reads).await.unwrap();
    assert!(found.iter().all(Option::is_none));
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let [.., asked] = ground.count();
    assert_eq!(asked, 1);
}

/// The read failed, although the lease of its client held.
#[tokio::test(start_paused = true)]
async fn a_read_waits_for_a_lock_while_the_coordination_does_not_answer() {
    for answer in [Answer::Refused, Answer::Missing] {
        let ground = Ground::new(answer).await;
        let owner = ground.fixture.client_on(ground.locks.clone()).await;
        let commit = ground.lock(&owner).await;
        let readers = ground.readers();
        sleep(Duration::from_secs(5)).await;
        assert!(readers.iter().all(|reader| !reader.is_finished()), "{answer:?}");
        let [.., asked] = ground.count();
        assert!((3..=6).contains(&asked), "{answer:?}: {asked} requests in 5 s");
        ground.locks.hooks().locking.open();
        commit.await.unwrap().unwrap();
        let found = try_join_all(readers).await.unwrap();
        found.into_iter().for_each(|found| drop(found.unwrap()));
    }
}
