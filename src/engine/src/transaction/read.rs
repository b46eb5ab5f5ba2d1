//! Reading at a timestamp.
//!
//! - **S1.** A read returns exactly the data that was committed at or before the timestamp. A lock
//!   of another transaction at or before the timestamp is resolved first, because that transaction
//!   may have committed before the timestamp.
//! - **S2.** A read returns data only after it has checked that the horizon of garbage collection
//!   is not above the timestamp. Otherwise it fails with [`SnapshotTooOld`]. It needs no request
//!   for that while its client certainly holds the timestamp (H4).

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{
    self, Cell, CellBatches, Error, Escaped, Filter, Key, Result, RowColumn, Scan, Span, Timestamp,
};
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::{Instant, timeout};
use tracing::{Instrument, debug};

use crate::context::{Backoff, CELLS_PER_READ};
use crate::transaction::corrupt::{cell_of, stamp_of};
use crate::transaction::foreign_lock::FoundLock;
use crate::transaction::read_past::{self, DecidedLock};
use crate::transaction::resolve::{OrphanLooks, resolve};
use crate::transaction::state::State;
use crate::transaction::{CommitError, SnapshotTooOld};

impl State {
    /// Returns the committed cells of a scan, in key order. The timestamp of a cell is the start of
    /// its transaction.
    pub(crate) fn scan(self: &Arc<Self>, scan: Scan) -> CellBatches {
        if scan.filter != Filter::None {
            let message = "a scan of a snapshot cannot have a filter; remove the filter";
            return stream::iter([Err(Error::invalid(message))]).boxed();
        }
        let rest = Rest { state: self.clone(), scan: Some(scan), open: None, waiting: None };
        let state = self.clone();
        let next = |rest: Rest| {
            let span = rest.state.start.span.clone();
            rest.next().instrument(span)
        };
        stream::try_unfold(rest, next)
            .inspect_err(move |error| {
                state.seen.lock().has_passing_failure |= error.kind().is_passing();
            })
            .boxed()
    }

    /// Returns the entries of a scan that the snapshot shows. Reads of single cells of a table of
    /// another process travel with those of other transactions.
    fn entries(&self, scan: &Scan) -> CellBatches {
        let is_gathered = self.client.table.is_remote()
            && scan.columns.is_empty()
            && scan.spans().len() <= CELLS_PER_READ
            && scan.spans().iter().all(is_cell);
        if is_gathered {
            let (point_reads, start) = (self.client.point_reads.clone(), self.start.clone());
            let cells = scan.spans().to_vec();
            let read = async move { point_reads.read(&start, cells).await };
            return stream::once(read).try_filter(|found| ready(!found.is_empty())).boxed();
        }
        let at = self.start();
        self.client.table.scan(scan.clone().filter(Filter::Snapshot { at }))
    }

    /// Fails if garbage above the timestamp may have been collected (S2).
    pub(crate) async fn check_fresh(&self) -> Result<()> {
        if self.start.is_held() {
            return Ok(());
        }
        let horizon = self.client.coordination.horizon().await?;
        let start = self.start();
        if horizon <= start {
            return Ok(());
        }
        let stale = SnapshotTooOld { start, horizon };
        self.seen.lock().stale = Some(stale);
        let stale = CommitError::SnapshotTooOld(stale);
        self.client.renew_session_after(&stale).await;
        Err(stale.into())
    }
}

struct Rest {
    state: Arc<State>,
    /// The part that has not been read yet; `None` at the end.
    scan: Option<Scan>,
    open: Option<CellBatches>,
    waiting: Option<Waiting>,
}

struct Waiting {
    backoff: Backoff,
    cells: BTreeSet<(RowColumn, Timestamp)>,
    orphan_looks: OrphanLooks,
    /// `true` if the last attempt resolved all locks, so that none of them should be met again.
    is_resolved: bool,
}

impl Rest {
    /// Returns the next batch and the rest after it.
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        while let Some(scan) = &self.scan {
            let state = &self.state;
            let open = self.open.get_or_insert_with(|| state.entries(scan));
            let Some(mut batch) = open.try_next().await? else {
                self.state.check_fresh().await?;
                return Ok(None);
            };
            self.state.check_fresh().await?;
            let first_lock = batch.iter().position(|cell| !is_data(cell));
            let locked = first_lock.map(|at| batch.split_off(at)).unwrap_or_default();
            let mut committed = batch.into_iter().map(committed).collect::<Result<Vec<_>>>()?;
            if locked.is_empty() {
                self.waiting = None;
            } else {
                let scan = scan.clone();
                let past = self.resolve_or_read_past(locked).await?;
                committed.extend(past.committed);
                if let Some(from) = past.rest {
                    self.open = None;
                    self.scan = Some(scan.starting_at(&from));
                }
            }
            if !committed.is_empty() {
                self.state.seen.lock().cells += u64::try_from(committed.len()).unwrap_or(u64::MAX);
                for cell in &committed {
                    debug!(start = %self.state.start(), cell = %cell.key, value = %Escaped(&cell.value), "read");
                }
                return Ok(Some((committed, self)));
            }
        }
        Ok(None)
    }

    /// Resolves the locks of the rest of a batch, which begins with a lock. Reads past the locks of
    /// decided transactions that could not be resolved, up to the first other lock. Waits if the
    /// first lock is left to its owner, or if it is still there although all locks were resolved.
    async fn resolve_or_read_past(&mut self, rest: Vec<Cell>) -> Result<Past> {
        let client = self.state.client.clone();
        let locks = rest
            .iter()
            .filter(|cell| !is_data(cell))
            .map(FoundLock::from_entry)
            .collect::<Result<Vec<_>>>()?;
        let first = locks.first();
        let waiting = self.wait_for(&locks);
        let resolved = resolve(&client, &locks).await?;
        let is_left = resolved.left.iter().any(|known| Some(&known.lock) == first);
        if !is_left && let Some(lock) = resolved.orphans.last() {
            waiting.orphan_looks.met(lock)?;
        }
        let is_resolved = resolved.waiting == 0 && resolved.orphans.is_empty();
        let must_wait = !is_resolved || waiting.is_resolved;
        waiting.is_resolved = is_resolved;
        let begin = rest.first().map(first_key);
        let past = if is_left {
            read_past(&self.state, rest, &resolved.left).await?
        } else {
            // The whole batch is read again.
            Past { committed: Vec::new(), rest: begin.clone() }
        };
        if must_wait && past.rest == begin {
            let begun = Instant::now();
            if let Some(lock) = first.filter(|lock| resolved.own.contains(&lock.start)) {
                let decision = client.background.wait_for_decision(lock.start);
                // Another client may roll it back meanwhile (R3).
                let _ = timeout(client.options.max_pause, decision).await;
            } else if let Some(waiting) = &mut self.waiting {
                waiting.backoff.pause().await;
            }
            metrics::histogram!("fluo_lock_wait_seconds").record(begun.elapsed());
        }
        Ok(past)
    }

    /// Returns the wait for some locks. It starts anew if none of them was met in the previous
    /// attempt.
    fn wait_for(&mut self, locks: &[FoundLock]) -> &mut Waiting {
        let state = &self.state;
        let cells: BTreeSet<_> = locks.iter().map(|lock| (lock.cell.clone(), lock.start)).collect();
        let waiting = match self.waiting.take() {
            Some(waiting) if !waiting.cells.is_disjoint(&cells) => waiting,
            _ => Waiting {
                backoff: state.client.backoff(state.start()),
                cells: BTreeSet::new(),
                orphan_looks: OrphanLooks::default(),
                is_resolved: false,
            },
        };
        self.waiting.insert(Waiting { cells, ..waiting })
    }
}

/// The part of a batch that was read past its locks.
#[derive(Default)]
struct Past {
    committed: Vec<Cell>,
    /// The key at which the scan continues; `None` if the batch was read completely.
    rest: Option<Key>,
}

/// Reads a batch as if the locks of decided transactions were resolved, up to the first other lock.
async fn read_past(state: &State, batch: Vec<Cell>, left: &[DecidedLock]) -> Result<Past> {
    let table = &*state.client.table;
    let mut shown = read_past::read_past(table, left, state.start()).await?;
    state.check_fresh().await?;
    let left: BTreeSet<_> = left.iter().map(|known| &known.lock.cell).collect();
    let mut past = Past::default();
    for found in batch {
        let cell = cell_of(&found);
        let is_left = !is_data(&found) && left.contains(&cell);
        let now = if is_left { shown.remove(&cell) } else { Some(found.clone()) };
        match now {
            Some(entry) if is_data(&entry) => past.committed.push(committed(entry)?),
            Some(_) => {
                past.rest = Some(first_key(&found));
                break;
            }
            None => {}
        }
    }
    Ok(past)
}

fn first_key(cell: &Cell) -> Key {
    Key { timestamp: i64::MAX, ..cell.key.clone() }
}

fn is_data(cell: &Cell) -> bool {
    EntryTimestamp::decode(cell.key.timestamp).is_some_and(|stamp| stamp.kind == EntryKind::Data)
}

/// Returns the cell with the start of its transaction as its timestamp.
fn committed(mut cell: Cell) -> Result<Cell> {
    let stamp = stamp_of(&cell)?;
    cell.key.timestamp = i64::try_from(stamp.timestamp.get()).unwrap_or(i64::MAX);
    Ok(cell)
}

fn is_cell(span: &Span) -> bool {
    let start = span.start();
    *span == Span::cell(start.row.clone(), &start.column)
}
