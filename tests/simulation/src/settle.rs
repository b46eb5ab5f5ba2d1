//! The end of a run: nothing fails any more, and one client cleans up behind the others.

use std::collections::BTreeSet;

use fluo_engine::CommitError;
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{ErrorKind, Filter, Key, Result, RowColumn, Scan, Span, Timestamp};
use tokio::time::timeout;

use super::actor::{Actor, DOCUMENTS, number_of, numbers_of, read_sums, requeue_all};
use super::crew;
use super::crew::PATIENCE;
use super::ground::{document, list, number};
use super::labels;
use super::observing::{self, SUM};
use super::queues::{is_of_queue, is_pending};
use super::recorded::{Recorded, rows, scan, told};
use super::world::World;

/// Reads everything, which resolves every lock. Then writes everything, which resolves every read
/// lock. Checks that no lock is left, reads again, and returns the numbers that the lists contain.
pub(super) async fn settle(world: &World) -> Result<BTreeSet<u64>> {
    // The client waits for dead clients, and must not become too old meanwhile.
    let options = world.dials.options().max_transaction_age(PATIENCE);
    let (link, client) = crew::open_to_everything(world, u64::MAX, options).await?;
    let actor = Actor { world: world.clone(), link, client };
    observe_all(&actor).await?;
    check_locks(&actor).await?;
    touch_all(&actor).await?;
    if !world.dials.is_javas {
        // On a table of the Java client a compaction may have dropped the end of a read lock, which
        // has no effect.
        let left = locks_left(world, Filter::OpenReadLocks);
        report_left(world, &left, "read lock");
    }
    read_all(&actor).await
}

/// Tries of one thing at the end.
const MAX_TRIES: u32 = 10;

/// Retries an operation while it is unavailable. A snapshot that waits for dead clients may become
/// too old meanwhile; the next one does not meet them again.
async fn retried<T>(mut once: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    for _ in 1..MAX_TRIES {
        match once().await {
            Err(error) if error.kind() == ErrorKind::Unavailable => {}
            done => return done,
        }
    }
    once().await
}

/// Reads everything.
async fn read_all(actor: &Actor) -> Result<BTreeSet<u64>> {
    let read = retried(async || read_once(actor).await).await;
    Ok(read.unwrap_or_else(|error| {
        let world = &actor.world;
        world.violation(format!("R1, R2, R3: what is left cannot be read: {error}"));
        BTreeSet::new()
    }))
}

async fn read_once(actor: &Actor) -> Result<BTreeSet<u64>> {
    let snapshot = actor.client.snapshot().await?;
    let story = actor.world.history().begin("last reader", snapshot.start());
    let mut cells = scan(&actor.world, &snapshot, "").await?;
    // The model of the cells does not have those of queues.
    cells.retain(|cell, _| !is_of_queue(&cell.row));
    let lists = cells.iter().filter(|(cell, _)| cell.column == list());
    let numbers = lists.flat_map(|(_, version)| numbers_of(Some(&version.value))).collect();
    actor.world.history().with(story, |story| {
        story.reads.push(rows("", cells, labels::all()));
    });
    Ok(numbers)
}

/// Runs one worker until it has processed all remaining notifications, dead letters included.
async fn observe_all(actor: &Actor) -> Result<()> {
    actor.client.retry_all_notifications().await?;
    retried(async || requeue_all(actor).await).await?;
    let worker = observing::start(&actor.world, &actor.client).await?;
    if timeout(PATIENCE / 5, actor.client.wait_until_idle()).await.is_err() {
        actor.world.violation("O1, N1: the remaining notifications are never processed");
    }
    worker.stop().await;
    retried(async || check_observed(actor).await).await?;
    retried(async || check_queues(actor).await).await
}

/// Reads the sums a last time, and checks that the queues are empty.
async fn check_queues(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let Some(queues) = &world.queues else { return Ok(()) };
    read_sums(actor, queues).await?;
    let cells = scan(world, &actor.client.snapshot().await?, "").await?;
    for cell in cells.keys().filter(|cell| is_pending(&cell.row)) {
        world.violation(format!("O1: `{cell}` of a queue is left"));
    }
    Ok(())
}

/// Checks that every document is included in the sum with its value.
async fn check_observed(actor: &Actor) -> Result<()> {
    let snapshot = actor.client.snapshot().await?;
    let mut whole = 0;
    for row in DOCUMENTS {
        let now = number_of(snapshot.get(row, &document()).await?.as_ref());
        let counted = number_of(snapshot.get(row, &number()).await?.as_ref());
        whole += now;
        if now != counted {
            actor.world.violation(format!("O1: {row} is {now} and counts for {counted}"));
        }
    }
    let sum = number_of(snapshot.get(SUM, &number()).await?.as_ref());
    if sum != whole {
        actor.world.violation(format!(
            "O1: the documents are {whole} together, and their sum is kept as {sum}"
        ));
    }
    Ok(())
}

/// Writes every cell with a read lock, which resolves the read locks of dead clients.
async fn touch_all(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let locked = Scan::over(Span::all()).filter(Filter::OpenReadLocks);
    let locked = world.server.scan(&locked, &labels::all());
    let cells: BTreeSet<RowColumn> =
        locked.into_iter().map(|cell| RowColumn::new(cell.key.row, cell.key.column)).collect();
    for cell in cells {
        // One attempt for each dead reader that can be in the way, and one to succeed.
        for last in [false, false, false, false, true] {
            let committed = retried(async || touch(actor, &cell).await).await?;
            match committed {
                Ok(_) => break,
                Err(error) if last => {
                    world.violation(format!(
                        "R2, R3: `{cell}` cannot be written at the end: {error}"
                    ));
                }
                Err(_) => tokio::time::sleep(world.dials.rollback_after).await,
            }
        }
    }
    Ok(())
}

/// Writes a cell with the value that it has.
async fn touch(actor: &Actor, cell: &RowColumn) -> Result<Result<(), CommitError>> {
    let row = String::from_utf8_lossy(&cell.row).into_owned();
    let tx = actor.client.begin().await?;
    let touch = Recorded::new(&actor.world, "last writer", &tx);
    let value = touch.get(&row, &cell.column).await?;
    touch.set(&row, &cell.column, value.unwrap_or_else(|| "0".into()))?;
    let story = touch.story();
    let committed = tx.commit().await;
    told(&actor.world, story, &committed);
    Ok(committed.map(drop))
}

/// The number of reads after which a lock counts as left.
const READS: u32 = 5;

/// Reads everything, and checks that no lock is left.
///
/// A lock can appear after the read has passed its cell: a commit of a client that is cut off can
/// still be in flight; and on a table of the Java client, a flush can drop the end of a trigger's
/// lock whose entry is in an older file. The next read resolves such a lock, so only a lock that is
/// left after several reads is a violation.
async fn check_locks(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let mut left = Vec::new();
    for _ in 0..READS {
        read_all(actor).await?;
        left = locks_left(world, Filter::Snapshot { at: Timestamp::MAX });
        if left.is_empty() {
            break;
        }
    }
    report_left(world, &left, "lock");
    Ok(())
}

/// Returns the locks that a filter shows on the server.
fn locks_left(world: &World, filter: Filter) -> Vec<Key> {
    let scan = Scan::over(Span::all()).filter(filter);
    let found = world.server.scan(&scan, &labels::all()).into_iter();
    let is_lock = |key: &Key| {
        let stamp = EntryTimestamp::decode(key.timestamp);
        stamp.is_none_or(|stamp| stamp.kind != EntryKind::Data)
    };
    found.map(|cell| cell.key).filter(is_lock).collect()
}

/// Reports every remaining lock as a violation.
fn report_left(world: &World, locks: &[Key], what: &str) {
    for key in locks {
        let stamp = EntryTimestamp::decode(key.timestamp);
        world.violation(format!("R2: a {what} is left: {key} {stamp:?}"));
    }
}
