//! The conflict after a rejection: the other transaction, and the resolution of locks whose owners
//! are dead.

use std::collections::BTreeSet;

use fluo_table::layout::{EntryKind, EntryTimestamp, WriteValue};
use fluo_table::{Bytes, Cell, Filter, Result, RowColumn, Scan, Span, Timestamp};

use crate::transaction::commit::Commit;
use crate::transaction::commit::plan::forbids_writes;
use crate::transaction::corrupt::{cell_of, checked, in_cell, stamp_of};
use crate::transaction::encode_entries::stamp;
use crate::transaction::foreign_lock::{FoundLock, LockKind};
use crate::transaction::resolve::{OrphanLooks, resolve};
use crate::transaction::status::{cell_span, entries};
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
                let met = self.cells_of(rejected).map(|(cell, _)| cell);
                CommitError::Conflict(self.conflict_at(met.collect(), None))
            }
            Err(error) => CommitError::Failed(error),
        }
    }

    /// Returns those of the rows in which an entry forbids a lock, after one write of all of them
    /// was rejected. If no such entry is left, the result is the primary's row.
    pub(super) async fn forbidding(&self, rows: &[Bytes]) -> Result<Vec<Bytes>> {
        let primary = vec![self.plan.primary.row.clone()];
        if rows == primary {
            return Ok(primary);
        }
        let found = self.entries_in_the_way(rows).await?;
        let rejected: BTreeSet<Bytes> = found.into_iter().map(|cell| cell.key.row).collect();
        Ok(if rejected.is_empty() { primary } else { rejected.into_iter().collect() })
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

    fn cells_of(&self, rows: &[Bytes]) -> impl Iterator<Item = (RowColumn, LockKind)> {
        let rows: BTreeSet<&Bytes> = rows.iter().collect();
        self.plan.cells().filter(move |(cell, _)| rows.contains(&cell.row))
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
        let cells: Vec<_> = self.cells_of(rejected).collect();
        let locks = self.resolve_others(&cells).await?;
        let mut met: BTreeSet<RowColumn> = locks.iter().map(|lock| lock.cell.clone()).collect();
        let mut other = locks
            .first()
            .map(|lock| ConflictCause::Locking { start: lock.start, transactor: lock.transactor });
        for (cell, committed) in self.committed_since(&cells).await? {
            met.insert(cell);
            other = other.or(Some(committed));
        }
        if met.is_empty() {
            // A damaged entry is not a conflict, and a retry would meet it again.
            let forbidding = self.entries_in_the_way(rejected).await?;
            forbidding.iter().try_for_each(|entry| checked(entry).map(drop))?;
            // The other transaction has rolled back by now. Only the row is known.
            met.extend(cells.into_iter().map(|(cell, _)| cell));
        }
        Ok(self.conflict_at(met, other))
    }

    /// Resolves the locks of other transactions on some cells. Returns those that were there at
    /// first, without void ones.
    async fn resolve_others(&self, cells: &[(RowColumn, LockKind)]) -> Result<Vec<FoundLock>> {
        let client = &self.state.client;
        let mut backoff = client.backoff(self.plan.start);
        let mut orphan_looks = OrphanLooks::default();
        let mut first = None;
        for _ in 0..MAX_LOOKS {
            let mut locks = self.locks_of_others(cells).await?;
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

    /// Removes the read locks of cells on which no read lock counts. A newer write hides a void
    /// read lock: a server that compacted a part of the column may have dropped its end but not the
    /// lock, and its owner may still be alive.
    async fn without_void(&self, mut read_locks: Vec<Cell>) -> Result<Vec<Cell>> {
        if read_locks.is_empty() {
            return Ok(read_locks);
        }
        let cells = read_locks.iter().map(|lock| cell_span(&cell_of(lock)));
        // A read lock that counts forbids every write of the cell, whatever the start of the
        // writer.
        let asked = Scan::over_all(cells).filter(forbids_writes(Timestamp::MAX));
        let forbidding = self.state.client.table.read(asked).await?;
        let is_read_lock = |cell: &&Cell| {
            let stamp = EntryTimestamp::decode(cell.key.timestamp);
            stamp.is_none_or(|stamp| stamp.kind == EntryKind::ReadLock)
        };
        let locked: BTreeSet<_> = forbidding.iter().filter(is_read_lock).map(cell_of).collect();
        read_locks.retain(|lock| locked.contains(&cell_of(lock)));
        Ok(read_locks)
    }

    /// Returns the locks of other transactions on some cells. Includes read locks only for cells
    /// that this transaction writes.
    async fn locks_of_others(&self, cells: &[(RowColumn, LockKind)]) -> Result<Vec<FoundLock>> {
        let latest = Filter::Snapshot { at: Timestamp::MAX };
        let locked = Scan::over_all(cells.iter().map(|(cell, _)| cell_span(cell))).filter(latest);
        let written = cells.iter().filter(|(_, kind)| *kind != LockKind::Read);
        let read_locked =
            Scan::over_all(written.map(|(cell, _)| cell_span(cell))).filter(Filter::OpenReadLocks);
        let table = &self.state.client.table;
        let mut found = table.read(locked).await?;
        found.extend(self.without_void(table.read(read_locked).await?).await?);
        let is_of_another = |cell: &&Cell| {
            EntryTimestamp::decode(cell.key.timestamp).is_some_and(|stamp| {
                matches!(stamp.kind, EntryKind::Lock | EntryKind::ReadLock)
                    && stamp.timestamp != self.plan.start
            })
        };
        found.iter().filter(is_of_another).map(FoundLock::from_entry).collect()
    }

    async fn committed_since(
        &self,
        cells: &[(RowColumn, LockKind)],
    ) -> Result<Vec<(RowColumn, ConflictCause)>> {
        let writes = |(cell, _): &(RowColumn, LockKind)| {
            entries(cell, EntryKind::Write, Timestamp::MAX, self.plan.start)
        };
        let since = Scan::over_all(cells.iter().map(writes));
        let committed = |write: &Cell| {
            let commit = stamp_of(write)?.timestamp;
            let value = WriteValue::decode(&write.value).map_err(|error| in_cell(write, error))?;
            Ok((cell_of(write), ConflictCause::Committed { start: value.start, commit }))
        };
        self.state.client.table.read(since).await?.iter().map(committed).collect()
    }
}
