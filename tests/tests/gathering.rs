//! Reads and writes of many transactions travel together on a table of another process, and a
//! commit answers at its commit point.
#![cfg(test)]

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Client, ClientOptions, Transaction};
use fluo_table::{Bytes, Column, Error, ErrorKind, Filter, Result, Scan, Table, Timestamp};
use fluo_tests::{Call, Fault, Fixture, Hooks, Intercepted, Latch};
use futures::future::{join_all, try_join_all};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::sleep;

const TASKS: usize = 40;
const STUCK: &str = "stuck";
const DAMAGED: &str = "damaged";
const REFUSED: &str = "refused";

fn column() -> Column {
    Column::new("f", "q")
}

fn row(number: usize) -> String {
    format!("row {number:03}")
}

/// The connections of a table.
#[derive(Debug)]
struct Connections(Semaphore);

impl Default for Connections {
    fn default() -> Self {
        Self(Semaphore::new(4))
    }
}

/// Records the scans of a table, and holds its scans and its plain writes.
#[derive(Debug, Default)]
struct Recorder {
    scans: Mutex<Vec<Scan>>,
    connections: Connections,
    reading: Latch,
    writing: Latch,
    locking: Latch,
    /// `true` if a scan of the row `stuck` gets no answer.
    is_stuck: AtomicBool,
    /// `true` if the next conditional write of [`TASKS`] rows is applied without an answer.
    loses_an_answer: AtomicBool,
}

#[async_trait]
impl Hooks for Recorder {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        match call {
            Call::Scan(scan) => {
                self.scans.lock().unwrap().push(scan.clone());
                self.reading.pass().await;
                let _connection = self.connections.0.acquire().await;
                let reads = |row: &str| scan.spans().iter().any(|span| span.start().row == row);
                if reads(STUCK) && self.is_stuck.load(Ordering::SeqCst) {
                    pending::<()>().await;
                }
                if reads(DAMAGED) {
                    return Err(Error::new(ErrorKind::Corrupt, "a damaged cell"));
                }
                if reads(REFUSED) {
                    return Err(Error::new(ErrorKind::Unavailable, "a server refuses"));
                }
            }
            Call::Write(_) => self.writing.pass().await,
            Call::WriteConditional(mutations) => {
                self.locking.pass().await;
                if mutations.len() == TASKS && self.loses_an_answer.swap(false, Ordering::SeqCst) {
                    return Ok(Some(Fault::After));
                }
            }
            _ => {}
        }
        Ok(None)
    }
}

struct Ground {
    fixture: Fixture,
    table: Arc<Intercepted<dyn Table, Recorder>>,
    client: Client,
}

impl Ground {
    async fn new() -> Self {
        let fixture = Fixture::in_memory().await;
        let table = Intercepted::with_hooks(fixture.table.clone(), Recorder::default());
        let table = Arc::new(table.row_by_row());
        table.hooks().reading.open();
        table.hooks().writing.open();
        table.hooks().locking.open();
        let client = fixture.client_of(table.clone(), ClientOptions::new()).await;
        let ground = Self { fixture, table, client };
        ground.set(STUCK, "0").await;
        ground.set(DAMAGED, "0").await;
        ground.set(REFUSED, "0").await;
        for number in 0..TASKS {
            ground.set(&row(number), "0").await;
        }
        ground.hooks().scans.lock().unwrap().clear();
        ground
    }

    fn hooks(&self) -> &Recorder {
        self.table.hooks()
    }

    async fn set(&self, row: &str, value: &'static str) {
        let set = async |tx: Transaction| tx.set(row.to_owned(), &column(), value);
        self.client.run::<_, Error, _>(set).await.unwrap();
    }

    /// Returns the scans of snapshots: their timestamps, and their numbers of cells.
    fn snapshots(&self) -> Vec<(Timestamp, usize)> {
        let scans = self.hooks().scans.lock().unwrap();
        let snapshot = |scan: &Scan| match scan.filter {
            Filter::Snapshot { at } => Some((at, scan.spans().len())),
            _ => None,
        };
        scans.iter().filter_map(snapshot).collect()
    }
}

async fn read(client: &Client, row: String) -> Result<(Timestamp, Option<Bytes>)> {
    client
        .run(async |tx| {
            let value = tx.get(row.clone(), &column()).await?;
            Ok::<_, Error>((tx.start(), value))
        })
        .await
}

/// The claim of S3: the reads of one call have starts of one block, and read at its first.
#[tokio::test]
async fn first_reads_share_a_block_and_a_call() {
    let ground = Ground::new().await;
    ground.hooks().reading.close();
    let reads = (0..TASKS).map(|number| {
        let client = ground.client.clone();
        tokio::spawn(async move { read(&client, row(number)).await })
    });
    let reads: Vec<_> = reads.collect();
    ground.hooks().reading.holds_a_task().await;
    ground.set("another", "1").await;
    ground.hooks().reading.open();
    let mut starts = BTreeSet::new();
    for read in join_all(reads).await {
        let (start, value) = read.unwrap().unwrap();
        assert_eq!(value.as_deref(), Some(&b"0"[..]));
        assert!(starts.insert(start), "{start} is the start of two transactions");
    }
    let calls = ground.snapshots();
    assert!(calls.len() <= 4, "{calls:?}");
    assert_eq!(calls.iter().map(|(_, cells)| cells).sum::<usize>(), TASKS);
    for (block, cells) in calls {
        for number in 0..cells {
            let start = Timestamp::new(block.get() + number as u64).unwrap();
            assert!(starts.remove(&start), "{start} is not in the block of {block}");
        }
    }
}

/// All reads of a transaction are at one timestamp, whatever the others do.
#[tokio::test]
async fn later_reads_of_a_block_travel_together() {
    let ground = Ground::new().await;
    let before = ground.snapshots().len();
    let both = (0..TASKS).map(|number| {
        let client = &ground.client;
        client.run(move |tx: Transaction| async move {
            let first = tx.get(row(number), &column()).await?;
            let second = tx.get(row((number + 1) % TASKS), &column()).await?;
            Ok::<_, Error>((first, second))
        })
    });
    for (first, second) in try_join_all(both).await.unwrap() {
        assert_eq!(first, second);
    }
    let calls = ground.snapshots().split_off(before);
    assert!(calls.len() <= 8, "{calls:?}");
}

#[tokio::test]
async fn a_start_that_was_returned_does_not_move() {
    let ground = Ground::new().await;
    let moved = ground.client.run(async |tx| {
        ground.set(&row(0), "1").await;
        tx.get(row(0), &column()).await
    });
    assert_eq!(moved.await.unwrap().as_deref(), Some(&b"1"[..]));
    let fixed = ground.client.run(async |tx| {
        let start = tx.start();
        ground.set(&row(0), "2").await;
        let value = tx.get(row(0), &column()).await?;
        assert_eq!(tx.start(), start);
        Ok::<_, Error>(value)
    });
    assert_eq!(fixed.await.unwrap().as_deref(), Some(&b"1"[..]));
    // Those that the caller begins do not move either.
    let (snapshot, begun) = (ground.client.snapshot(), ground.client.begin());
    let (snapshot, begun) = (snapshot.await.unwrap(), begun.await.unwrap());
    ground.set(&row(0), "3").await;
    for value in [snapshot.get(row(0), &column()), begun.get(row(0), &column())] {
        assert_eq!(value.await.unwrap().as_deref(), Some(&b"2"[..]));
    }
}

#[tokio::test]
async fn a_cell_that_cannot_be_read_does_not_stop_the_others() {
    let ground = Ground::new().await;
    for (cell, kind) in [(DAMAGED, ErrorKind::Corrupt), (REFUSED, ErrorKind::Unavailable)] {
        let rows = (0..TASKS).map(row).chain([cell.to_owned()]);
        let reads = join_all(rows.map(|row| read(&ground.client, row))).await;
        let failed: Vec<_> = reads.iter().filter_map(|read| read.as_ref().err()).collect();
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(failed[0].kind(), kind);
    }
}

/// They waited for each other, although no read of one can travel with a read of another.
#[tokio::test(start_paused = true)]
async fn reads_of_snapshots_are_concurrent_calls() {
    let ground = Ground::new().await;
    let mut snapshots = Vec::new();
    for _ in 0..TASKS {
        snapshots.push(ground.client.snapshot().await.unwrap());
    }
    ground.hooks().reading.close();
    let reads = snapshots.into_iter().map(|snapshot| {
        tokio::spawn(async move { snapshot.get(row(0), &column()).await.unwrap() })
    });
    let reads: Vec<_> = reads.collect();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ground.snapshots().len(), TASKS);
    ground.hooks().reading.open();
    for read in join_all(reads).await {
        assert_eq!(read.unwrap().as_deref(), Some(&b"0"[..]));
    }
}

#[tokio::test(start_paused = true)]
async fn cells_whose_server_does_not_answer_do_not_stop_the_others() {
    let ground = Ground::new().await;
    ground.hooks().is_stuck.store(true, Ordering::SeqCst);
    let client = ground.client.clone();
    let stuck = async move { join_all((0..9).map(|_| read(&client, STUCK.to_owned()))).await };
    let stuck = tokio::spawn(stuck);
    // The first of them is alone in a call; the others wait, and come before the healthy ones.
    while ground.snapshots().is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        let reads = (0..TASKS).map(|number| read(&ground.client, row(number)));
        let reads = tokio::time::timeout(Duration::from_secs(10), try_join_all(reads));
        reads.await.unwrap().unwrap();
        sleep(Duration::from_secs(2)).await;
    }
    assert!(!stuck.is_finished());
    stuck.abort();
}

#[tokio::test]
async fn reads_go_on_after_the_runtime_that_sends_them_has_ended() {
    let ground = Ground::new().await;
    ground.hooks().reading.close();
    let (client, table) = (ground.client.clone(), ground.table.clone());
    let begin = move || {
        let other = Builder::new_current_thread().enable_all().build().unwrap();
        other.spawn(async move { read(&client, row(0)).await });
        other.block_on(table.hooks().reading.holds_a_task());
        other
    };
    let other = thread::spawn(begin).join().unwrap();
    let client = ground.client.clone();
    let waiting = tokio::spawn(async move { read(&client, row(1)).await });
    tokio::task::yield_now().await;
    thread::spawn(move || drop(other)).join().unwrap();
    ground.hooks().reading.open();
    waiting.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_late_call_does_not_hold_back_the_next_one() {
    let ground = Ground::new().await;
    ground.hooks().is_stuck.store(true, Ordering::SeqCst);
    let client = ground.client.clone();
    let stuck = tokio::spawn(async move { read(&client, STUCK.to_owned()).await });
    while ground.snapshots().is_empty() {
        tokio::task::yield_now().await;
    }
    let next = read(&ground.client, row(0));
    let next = tokio::time::timeout(Duration::from_secs(1), next).await;
    next.expect("the next call waits").unwrap();
    assert_eq!(ground.snapshots().len(), 2);
    stuck.abort();
}

/// A commit waited until all rows were rolled forward, and a reader looked at the primary.
#[tokio::test(start_paused = true)]
async fn a_commit_answers_before_it_is_rolled_forward() {
    let ground = Ground::new().await;
    ground.hooks().writing.close();
    let set = async |tx: Transaction| {
        tx.set(row(0), &column(), "1")?;
        tx.set(row(1), &column(), "1")
    };
    let commit = ground.client.run::<_, Error, _>(set);
    tokio::time::timeout(Duration::from_secs(10), commit)
        .await
        .expect("the commit waits for the background")
        .unwrap();
    ground.hooks().writing.holds_a_task().await;
    let client = ground.client.clone();
    let settled = tokio::spawn(async move { client.wait_until_rolled_forward().await });
    // The reader writes the same, and waits for it.
    let reader = ground.client.clone();
    let value = tokio::spawn(async move { read(&reader, row(1)).await });
    tokio::task::yield_now().await;
    assert!(!settled.is_finished());
    ground.hooks().writing.open();
    settled.await.unwrap();
    let (_, value) = value.await.unwrap().unwrap();
    assert_eq!(value.as_deref(), Some(&b"1"[..]));
    let scans = ground.hooks().scans.lock().unwrap().clone();
    let is_status = |scan: &Scan| matches!(scan.filter, Filter::TransactionStatus { .. });
    assert!(!scans.iter().any(is_status), "a reader looked at the primary");
    assert_eq!(ground.fixture.locked().await, []);
}

/// The process ended during the commit, and its locks stayed.
#[tokio::test(start_paused = true)]
async fn a_clean_end_waits_for_a_commit_without_a_caller() {
    let ground = Ground::new().await;
    ground.hooks().locking.close();
    let client = ground.client.clone();
    let run = tokio::spawn(async move {
        let set = async |tx: Transaction| {
            tx.set(row(0), &column(), "1")?;
            tx.set(row(1), &column(), "1")
        };
        client.run::<_, Error, _>(set).await
    });
    ground.hooks().locking.holds_a_task().await;
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());
    let client = ground.client.clone();
    let ended = tokio::spawn(async move { client.wait_until_rolled_forward().await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!ended.is_finished());
    ground.hooks().locking.open();
    ended.await.unwrap();
    assert_eq!(ground.fixture.locked().await, []);
    let (_, value) = read(&ground.client, row(1)).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"1"[..]));
}

/// Each of the rows was looked at with a call of its own.
#[tokio::test]
async fn rows_whose_answer_is_lost_are_looked_at_together() {
    let ground = Ground::new().await;
    ground.hooks().loses_an_answer.store(true, Ordering::SeqCst);
    let set = async |tx: Transaction| {
        // The primary is locked before the others.
        (0..=TASKS).try_for_each(|number| tx.set(row(number), &column(), "1"))
    };
    ground.client.run::<_, Error, _>(set).await.unwrap();
    assert!(!ground.hooks().loses_an_answer.load(Ordering::SeqCst));
    let scans = ground.hooks().scans.lock().unwrap().clone();
    let looks = scans.iter().filter(|scan| scan.filter == Filter::None);
    let spans: Vec<_> = looks.map(|scan| scan.spans().len()).collect();
    assert_eq!(spans, [2 * TASKS]);
    assert_eq!(read(&ground.client, row(TASKS)).await.unwrap().1.unwrap(), "1");
}
