//! Reading at a timestamp.
//!
//! - **S1.** What is read is what was committed at or before the timestamp, and nothing else. A lock of another
//!   transaction at or before it is dealt with first: that transaction may have committed before it.
//! - **S2.** What was read is handed out only after it was seen that the horizon of garbage collection is not above the
//!   timestamp. Otherwise the read fails with [`Stale`].

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::Instant;
use tracing::{Instrument, Span, debug};

use crate::client::{ActiveKey, Backoff, Shared, is_passing};
use crate::data::{self, Cell, Escaped, Key, RowColumn, Timestamp};
use crate::error::{Error, Result};
use crate::layout::{EntryKind, EntryStamp};
use crate::planted::{self, PlantedBug};
use crate::table::{CellBatches, Filter, Scan};
use crate::transaction::damage::stamp_of;
use crate::transaction::found_lock::FoundLock;
use crate::transaction::read_past::DecidedLock;
use crate::transaction::resolve::{OrphanLooks, resolve};
use crate::transaction::{CommitError, Stale};

/// A timestamp to read at, held against garbage collection until it is dropped or has become too old.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) client: Arc<Shared>,
    /// What is read and written here is told in it, whoever does it.
    pub(crate) span: Span,
    key: ActiveKey,
    seen: Mutex<Seen>,
}

/// What a transaction has come upon.
#[derive(Debug, Default)]
struct Seen {
    cells: u64,
    stale: Option<Stale>,
    /// Whether a read failed with what may pass.
    has_passing_failure: bool,
}

impl Reading {
    /// Begins to read, and makes the span of it.
    pub(crate) async fn begin(
        client: Arc<Shared>,
        span: impl FnOnce(Timestamp) -> Span,
    ) -> Result<Self> {
        let (coordination, session) = (&*client.coordination, &client.session);
        let suspect = session.id();
        let key = match client.active.begin(coordination, session).await {
            Ok(key) => key,
            Err(error) => {
                client.renew_session_or(suspect, error).await?;
                client.active.begin(coordination, session).await?
            }
        };
        Ok(Self {
            client,
            span: span(key.0),
            key,
            seen: Mutex::default(),
        })
    }

    /// Where it reads.
    pub(crate) fn start(&self) -> Timestamp {
        self.key.0
    }

    /// The staleness that a read met, if one did.
    pub(crate) fn stale(&self) -> Option<Stale> {
        self.seen().stale
    }

    /// Whether a read failed in a way that passes: the table was away, say. Whatever the body made of its error, it is
    /// known here.
    pub(crate) fn has_passing_failure(&self) -> bool {
        self.seen().has_passing_failure
    }

    /// The committed cells of a scan, in key order; the timestamp of each is where its transaction began.
    pub(crate) fn scan(self: &Arc<Self>, scan: Scan) -> CellBatches {
        if scan.filter_intent() != Filter::None {
            return failed(Error::invalid(
                "a scan of a snapshot has a filter of its own already; ask for it without one",
            ));
        }
        let rest = Rest {
            reading: self.clone(),
            scan: Some(scan.filter(Filter::Snapshot {
                at: self.seen_up_to(),
            })),
            open: None,
            waiting: None,
        };
        let reading = self.clone();
        let next = |rest: Rest| {
            let span = rest.reading.span.clone();
            rest.next().instrument(span)
        };
        stream::try_unfold(rest, next)
            .inspect_err(move |error| {
                reading.seen().has_passing_failure |= is_passing(error.kind());
            })
            .boxed()
    }

    fn seen_up_to(&self) -> Timestamp {
        let ahead = u64::from(planted::is(PlantedBug::ReadsAhead)) * 2;
        Timestamp::new(self.start().get() + ahead).unwrap_or(Timestamp::MAX)
    }

    /// Fails if garbage may have been collected above the timestamp (S2).
    pub(crate) async fn check_fresh(&self) -> Result<()> {
        let horizon = self.client.coordination.horizon().await?;
        let start = self.start();
        if horizon <= start || planted::is(PlantedBug::StaleReads) {
            return Ok(());
        }
        let stale = Stale { start, horizon };
        self.seen().stale = Some(stale);
        let stale = CommitError::Stale(stale);
        self.client.renew_session_after(&stale).await;
        Err(stale.into())
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.client.active.end(self.key);
        metrics::counter!("fluo_cells_read_total").increment(self.seen().cells);
    }
}

/// What is left of a scan.
struct Rest {
    reading: Arc<Reading>,
    /// What has not been read yet; `None` once all has been.
    scan: Option<Scan>,
    open: Option<CellBatches>,
    waiting: Option<Waiting>,
}

/// A lock that is being waited for.
struct Waiting {
    backoff: Backoff,
    cells: BTreeSet<(RowColumn, Timestamp)>,
    orphan_looks: OrphanLooks,
}

impl Rest {
    /// The next batch, and what is left after it.
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        while let Some(scan) = &self.scan {
            let table = &self.reading.client.table;
            let open = self.open.get_or_insert_with(|| table.scan(scan.clone()));
            let Some(mut batch) = open.try_next().await? else {
                self.reading.check_fresh().await?;
                return Ok(None);
            };
            self.reading.check_fresh().await?;
            let first_lock = batch.iter().position(|cell| !is_data(cell));
            let locked = first_lock.map(|at| batch.split_off(at)).unwrap_or_default();
            let mut committed = batch
                .into_iter()
                .map(committed)
                .collect::<Result<Vec<_>>>()?;
            if let Some(lock) = locked.first() {
                // Everything from the lock on is read again once it is dealt with.
                let from = Key {
                    timestamp: i64::MAX,
                    ..lock.key.clone()
                };
                let scan = scan.clone();
                self.open = None;
                match self.deal_with(&locked).await? {
                    None => self.scan = Some(scan.starting_at(&from)),
                    Some(past) => {
                        committed.extend(past.cell.map(self::committed).transpose()?);
                        self.scan = Some(scan.starting_at(&past.next));
                    }
                }
            } else {
                self.waiting = None;
            }
            if !committed.is_empty() {
                self.reading.seen().cells += u64::try_from(committed.len()).unwrap_or(u64::MAX);
                for cell in &committed {
                    debug!(start = %self.reading.start(), cell = %cell.key, value = %Escaped(&cell.value), "read");
                }
                return Ok(Some((committed, self)));
            }
        }
        Ok(None)
    }

    /// Resolves the locks of a batch; waits if some of them are left to their owners. Returns the cell behind the first lock
    /// if the lock is decided and this client lacks write permission.
    async fn deal_with(&mut self, found: &[Cell]) -> Result<Option<Past>> {
        let client = self.reading.client.clone();
        let locks = found
            .iter()
            .filter(|cell| !is_data(cell))
            .map(FoundLock::of)
            .collect::<Result<Vec<_>>>()?;
        let Some(first) = locks.first() else {
            return Ok(None);
        };
        let start = self.reading.start();
        let cells: BTreeSet<_> = locks
            .iter()
            .map(|lock| (lock.cell.clone(), lock.start))
            .collect();
        // Waiting begins anew when none of the locks is one that was waited for.
        let waiting = match self.waiting.take() {
            Some(waiting) if !waiting.cells.is_disjoint(&cells) => waiting,
            _ => Waiting {
                backoff: Backoff::of_locks(&client.settings, start),
                cells: BTreeSet::new(),
                orphan_looks: OrphanLooks::default(),
            },
        };
        let waiting = self.waiting.insert(Waiting { cells, ..waiting });
        let resolved = resolve(&client, &locks).await?;
        if let Some(lock) = resolved.denied.iter().find(|known| known.lock == *first) {
            return read_past(&self.reading, lock).await;
        }
        if let Some(lock) = resolved.orphans.last() {
            waiting.orphan_looks.met(lock)?;
        }
        if resolved.waiting > 0 || !resolved.orphans.is_empty() {
            let begun = Instant::now();
            waiting.backoff.pause().await;
            metrics::histogram!("fluo_lock_wait_seconds").record(begun.elapsed());
        }
        Ok(None)
    }
}

/// The result of reading past a lock.
struct Past {
    /// The cell of the lock, if it has a value.
    cell: Option<Cell>,
    /// The first key of the next cell.
    next: Key,
}

/// Reads the cell of a lock as if the lock were turned; `None` if another lock is there by now.
async fn read_past(reading: &Reading, known: &DecidedLock) -> Result<Option<Past>> {
    let table = &*reading.client.table;
    let shown = known.read_past(table, reading.seen_up_to()).await?;
    reading.check_fresh().await?;
    if shown.as_ref().is_some_and(|cell| !is_data(cell)) {
        return Ok(None);
    }
    let RowColumn { row, column } = known.lock.cell.clone();
    Ok(Some(Past {
        cell: shown,
        next: Key::new(row, column, i64::MIN).successor(),
    }))
}

fn failed(error: Error) -> CellBatches {
    stream::iter([Err(error)]).boxed()
}

fn is_data(cell: &Cell) -> bool {
    EntryStamp::decode(cell.key.timestamp).is_some_and(|stamp| stamp.kind == EntryKind::Data)
}

/// A cell whose timestamp is where its transaction began.
fn committed(mut cell: Cell) -> Result<Cell> {
    let stamp = stamp_of(&cell)?;
    cell.key.timestamp = i64::try_from(stamp.timestamp.get()).unwrap_or(i64::MAX);
    Ok(cell)
}

/// The span of one cell.
pub(crate) fn cell_span(cell: &RowColumn) -> data::Span {
    data::Span::cell(cell.row.clone(), &cell.column)
}
