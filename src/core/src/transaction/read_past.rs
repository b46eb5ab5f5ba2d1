//! Reading past a lock that the client cannot remove because it lacks write permission.
//!
//! The status of the transaction is known, so the reader adds the missing entries to its copy of the column and filters the
//! result.

use crate::data::{Cell, Key, RowColumn, Timestamp};
use crate::error::Result;
use crate::layout::SnapshotFilter;
use crate::table::{Change, Mutation, Scan, Table, TableExt};
use crate::transaction::damage::checked;
use crate::transaction::entries;
use crate::transaction::found_lock::FoundLock;
use crate::transaction::reading::cell_span;

/// A lock of a transaction that was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecidedLock {
    pub(crate) lock: FoundLock,
    /// The commit timestamp, or `None` if the transaction was rolled back.
    pub(crate) committed: Option<Timestamp>,
}

impl DecidedLock {
    /// Returns the entry that a snapshot shows of the cell once the lock is turned: a value, nothing, or another lock.
    pub(crate) async fn read_past(&self, table: &dyn Table, at: Timestamp) -> Result<Option<Cell>> {
        let cell = &self.lock.cell;
        let mut entries = table.read(Scan::over(cell_span(cell))).await?;
        for update in self.turned().updates {
            if let (Some(timestamp), Change::Put(value)) = (update.timestamp, update.change) {
                entries.retain(|entry| entry.key.timestamp != timestamp);
                let key = Key::new(cell.row.clone(), update.column, timestamp);
                entries.push(Cell::new(key, value));
            }
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let mut filter = SnapshotFilter::new(at);
        let mut shown = entries.into_iter();
        let shown = shown.find(|entry| filter.shows(entry.key.timestamp, &entry.value));
        if let Some(entry) = &shown {
            checked(entry)?;
        }
        Ok(shown)
    }

    /// Returns the mutation that turns the lock.
    fn turned(&self) -> Mutation {
        let FoundLock {
            cell: RowColumn { row, column },
            start,
            kind,
            ..
        } = &self.lock;
        let mutation = Mutation::new(row.clone());
        match self.committed {
            Some(commit) => entries::commit(mutation, column, (*start, commit), *kind, false),
            None => entries::roll_back(mutation, column, *start, *kind),
        }
    }
}
