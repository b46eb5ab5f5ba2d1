//! After a rejection: who was there first, and what of it is dead.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use futures::stream::TryStreamExt;

use crate::data::{Bytes, Cell, Key, RowColumn, Span, Timestamp};
use crate::error::Result;
use crate::layout::{EntryKind, EntryStamp, WriteValue};
use crate::table::{Filter, Scan, TableExt};
use crate::transaction::commit::Commit;
use crate::transaction::entries::stamp;
use crate::transaction::found_lock::{FoundLock, LockKind};
use crate::transaction::reading::cell_span;
use crate::transaction::resolve::resolve;
use crate::transaction::{CommitError, Conflict, OtherTransaction};

impl Commit {
    /// The conflict for rows that were rejected. Locks of the dead on them are dealt with, so that the next try does
    /// not meet them again; the locks of the living are left alone.
    pub(crate) async fn conflict(&self, rejected: &[Bytes]) -> CommitError {
        match self.find_conflict(rejected).await {
            Ok(conflict) => CommitError::Conflict(conflict),
            Err(error) => CommitError::Failed(error),
        }
    }

    async fn find_conflict(&self, rejected: &[Bytes]) -> Result<Conflict> {
        let cells: Vec<_> = self
            .plan
            .cells()
            .filter(|(cell, _)| rejected.contains(&cell.row))
            .collect();
        let locks = self.locks_of_others(&cells).await?;
        resolve(&self.reading.client, &locks).await?;
        let mut met: BTreeSet<RowColumn> = locks.iter().map(|lock| lock.cell.clone()).collect();
        let mut other = locks.first().map(|lock| OtherTransaction::Locking {
            start: lock.start,
            transactor: lock.transactor,
        });
        for (cell, _) in &cells {
            if let Some(committed) = self.committed_since(cell).await? {
                met.insert(cell.clone());
                other = other.or(Some(committed));
            }
        }
        if met.is_empty() {
            // Whoever it was has rolled back by now. The row is all that is known.
            met.extend(cells.into_iter().map(|(cell, _)| cell));
        }
        let cell_count = met.len();
        Ok(Conflict {
            start: self.plan.start,
            cells: met.into_iter().take(Conflict::MOST_CELLS).collect(),
            cell_count,
            other,
        })
    }

    /// The locks of others on some cells; read locks only where the cell is to be written.
    async fn locks_of_others(&self, cells: &[(RowColumn, LockKind)]) -> Result<Vec<FoundLock>> {
        let latest = Filter::Snapshot { at: Timestamp::MAX };
        let locked = Scan::over_all(cells.iter().map(|(cell, _)| cell_span(cell))).filter(latest);
        let written = cells.iter().filter(|(_, kind)| *kind != LockKind::Read);
        let read_locked =
            Scan::over_all(written.map(|(cell, _)| cell_span(cell))).filter(Filter::OpenReadLocks);
        let table = &self.reading.client.table;
        let mut found = table.read(locked).await?;
        found.extend(table.read(read_locked).await?);
        let is_of_another = |cell: &&Cell| {
            EntryStamp::decode(cell.key.timestamp).is_some_and(|stamp| {
                matches!(stamp.kind, EntryKind::Lock | EntryKind::ReadLock) && stamp.timestamp != self.plan.start
            })
        };
        found.iter().filter(is_of_another).map(FoundLock::of).collect()
    }

    /// The newest commit of a cell, if it came after this transaction began.
    async fn committed_since(&self, cell: &RowColumn) -> Result<Option<OtherTransaction>> {
        let key = |timestamp| {
            Key::new(
                cell.row.clone(),
                cell.column.clone(),
                stamp(EntryKind::Write, timestamp),
            )
        };
        let since = Span::between(key(Timestamp::MAX), Some(key(self.plan.start)));
        let scan = Scan::over(since).batch_cells(NonZeroUsize::MIN);
        let newest = self.reading.client.table.scan(scan).try_next().await?;
        let Some(newest) = newest.and_then(|cells| cells.into_iter().next()) else {
            return Ok(None);
        };
        let commit = EntryStamp::decode(newest.key.timestamp).map(|stamp| stamp.timestamp);
        let start = WriteValue::decode(&newest.value)?.start;
        Ok(commit.map(|commit| OtherTransaction::Committed { start, commit }))
    }
}
