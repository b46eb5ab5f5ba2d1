//! The conflict after a rejection: the other transaction, and the resolution of locks whose owners
//! are dead.

use std::collections::BTreeSet;

use fluo_table::layout::{DelReadLockValue, EntryKind, EntryTimestamp, WriteValue};
use fluo_table::{Bytes, Cell, Filter, Result, RowColumn, Scan, Span};

use crate::transaction::commit::Commit;
use crate::transaction::commit::plan::forbids_writes;
use crate::transaction::corrupt::{cell_of, checked, in_cell, stamp_of};
use crate::transaction::encode_entries::stamp;
use crate::transaction::foreign_lock::FoundLock;
use crate::transaction::resolve::{OrphanLooks, resolve};
use crate::transaction::status::cell_span;
use crate::transaction::{CommitError, Conflict, ConflictCause};

/// Maximum number of times to read the locks of other transactions while each time one of them
/// disappears. By then a conflict is certain, and the next attempt meets the remaining locks.
const MAX_LOOKS: u32 = 8;

impl Commit {
    /// Returns the conflict for the rejected rows. Locks of dead transactions on them are resolved,
    /// so that the next attempt does not meet them again. Locks of live transactions stay.
    pub(super) async fn conflict(&self, rejected: &[Bytes]) -> CommitError {
        match self.find_conflict(rejected).await {
            Ok(conflict) => CommitError::Conflict(conflict),
            // The other transaction cannot be determined at present, but there was one.
            Err(error) if error.kind().is_passing() => {
                CommitError::Conflict(self.conflict_at(self.cells_of(rejected), None))
            }
            Err(error) => CommitError::Failed(error),
        }
    }

    /// Reads rows through the filters of the conditions of their locks, which show the entries that
    /// forbid them.
    pub(super) async fn entries_in_the_way(&self, rows: &[Bytes]) -> Result<Vec<Cell>> {
        // One filter each for written cells, for read cells, and for a trigger.
        let mut asked: Vec<(Filter, Vec<Span>)> = Vec::new();
        for row in rows {
            for condition in self.plan.lock_row(row).conditions {
                let span = Span::cell(row.clone(), &condition.column);
                match asked.iter_mut().find(|(filter, _)| *filter == condition.filter) {
                    Some((_, spans)) => spans.push(span),
                    None => asked.push((condition.filter, vec![span])),
                }
            }
        }
        let mut found = Vec::new();
        for (filter, spans) in asked {
            let in_the_way = Scan::over_all(spans).filter(filter);
            found.extend(self.state.client.table.read(in_the_way).await?);
        }
        Ok(found)
    }

    fn cells_of(&self, rows: &[Bytes]) -> BTreeSet<RowColumn> {
        let rows: BTreeSet<&Bytes> = rows.iter().collect();
        let cells = self.plan.cells().map(|(cell, _)| cell);
        cells.filter(|cell| rows.contains(&cell.row)).collect()
    }

    pub(super) fn conflict_at(
        &self,
        met: BTreeSet<RowColumn>,
        other: Option<ConflictCause>,
    ) -> Conflict {
        let cell_count = met.len();
        Conflict {
            start: self.plan.start,
            cells: met.into_iter().take(Conflict::MAX_CELLS).collect(),
            cell_count,
            other,
        }
    }

    async fn find_conflict(&self, rejected: &[Bytes]) -> Result<Conflict> {
        let (locking, others) = self.entries_of_others(rejected).await?;
        let locks = self.resolve_others(rejected, locking).await?;
        let mut met: BTreeSet<RowColumn> = locks.iter().map(|lock| lock.cell.clone()).collect();
        let mut other = locks
            .first()
            .map(|lock| ConflictCause::Locking { start: lock.start, transactor: lock.transactor });
        for entry in others {
            met.insert(cell_of(&entry));
            other = match other {
                None => committed(&entry)?,
                other => other,
            };
        }
        if met.is_empty() {
            // The other transaction has rolled back by now. Only the rows are known.
            met.extend(self.cells_of(rejected));
        }
        Ok(self.conflict_at(met, other))
    }

    /// Returns the entries of other transactions that forbid a lock in some rows: the locks, and
    /// the others. Each cell has at most one, so a lock behind the write of a later transaction is
    /// left to the next one that meets it.
    async fn entries_of_others(&self, rows: &[Bytes]) -> Result<(Vec<Cell>, Vec<Cell>)> {
        let (mut locks, mut others) = (Vec::new(), Vec::new());
        for entry in self.entries_in_the_way(rows).await? {
            // A damaged entry is not a conflict, and a retry would meet it again.
            let stamp = checked(&entry)?;
            if stamp.timestamp == self.plan.start {
                continue;
            }
            match stamp.kind {
                EntryKind::Lock | EntryKind::ReadLock => locks.push(entry),
                _ => others.push(entry),
            }
        }
        Ok((locks, others))
    }

    /// Resolves the locks of other transactions on some rows, and returns those that were there at
    /// first.
    async fn resolve_others(
        &self,
        rows: &[Bytes],
        mut locking: Vec<Cell>,
    ) -> Result<Vec<FoundLock>> {
        let client = &self.state.client;
        let mut backoff = client.backoff(self.plan.start);
        let mut orphan_looks = OrphanLooks::default();
        let mut first = None;
        for _ in 0..MAX_LOOKS {
            if locking.is_empty() {
                break;
            }
            let mut locks = self.locks_of_others(locking).await?;
            let resolved = resolve(client, &locks).await?;
            let mut orphan = None;
            for lock in resolved.orphans {
                if self.is_in_the_way(&lock).await? {
                    orphan = Some(lock);
                } else {
                    locks.retain(|other| *other != lock);
                }
            }
            first.get_or_insert(locks);
            let Some(lock) = orphan else {
                break;
            };
            orphan_looks.met(&lock)?;
            backoff.pause().await;
            (locking, _) = self.entries_of_others(rows).await?;
        }
        Ok(first.unwrap_or_default())
    }

    /// Checks whether this lock forbids this transaction to lock the cell.
    async fn is_in_the_way(&self, lock: &FoundLock) -> Result<bool> {
        let asked = Scan::over(cell_span(&lock.cell)).filter(forbids_writes(self.plan.start));
        let found = self.state.client.table.read(asked).await?;
        let entry = stamp(lock.kind.entry(), lock.start);
        Ok(found.iter().any(|cell| cell.key.timestamp == entry))
    }

    /// Returns the locks with these entries, and the other open read locks of read-locked cells:
    /// a client that ended may have left many, and each attempt would meet one of them.
    async fn locks_of_others(&self, locking: Vec<Cell>) -> Result<Vec<FoundLock>> {
        let (read_locked, mut found): (Vec<_>, Vec<_>) =
            locking.into_iter().partition(|entry| has_kind(entry, EntryKind::ReadLock));
        if !read_locked.is_empty() {
            let cells = read_locked.iter().map(|entry| cell_span(&cell_of(entry)));
            let open = Scan::over_all(cells).filter(Filter::OpenReadLocks);
            found.extend(self.state.client.table.read(open).await?);
        }
        let locks = found.iter().map(FoundLock::from_entry);
        let is_of_another = |lock: &Result<FoundLock>| {
            lock.as_ref().map_or(true, |lock| lock.start != self.plan.start)
        };
        locks.filter(is_of_another).collect()
    }
}

fn has_kind(entry: &Cell, kind: EntryKind) -> bool {
    EntryTimestamp::decode(entry.key.timestamp).is_some_and(|stamp| stamp.kind == kind)
}

/// Returns the transaction that committed a write or a read lock; `None` for other entries.
fn committed(entry: &Cell) -> Result<Option<ConflictCause>> {
    let stamp = stamp_of(entry)?;
    let damaged = |error| in_cell(entry, error);
    let (start, commit) = match stamp.kind {
        EntryKind::Write => {
            (WriteValue::decode(&entry.value).map_err(damaged)?.start, stamp.timestamp)
        }
        EntryKind::DelReadLock => match DelReadLockValue::decode(&entry.value).map_err(damaged)? {
            DelReadLockValue::Committed(commit) => (stamp.timestamp, commit),
            DelReadLockValue::RolledBack => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(ConflictCause::Committed { start, commit }))
}
