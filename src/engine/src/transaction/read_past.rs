//! Reading past locks that the client did not remove, because a write failed.
//!
//! The reader has determined the status of each transaction. It adds the missing entries to its
//! copy of the columns and filters the result.

use std::collections::BTreeMap;

use fluo_table::layout::ColumnFilter;
use fluo_table::{Cell, Change, Filter, Key, Mutation, Result, RowColumn, Scan, Table, Timestamp};

use crate::transaction::corrupt::{cell_of, checked};
use crate::transaction::encode_entries;
use crate::transaction::foreign_lock::FoundLock;
use crate::transaction::status::cell_span;

/// A lock of a committed or rolled back transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecidedLock {
    pub(crate) lock: FoundLock,
    /// The commit timestamp, or `None` if the transaction was rolled back.
    pub(crate) committed: Option<Timestamp>,
}

/// Returns for each cell the entry that a snapshot shows once the lock is resolved: a value or
/// another lock. One scan reads all of them.
pub(crate) async fn read_past(
    table: &dyn Table,
    locks: &[DecidedLock],
    at: Timestamp,
) -> Result<BTreeMap<RowColumn, Cell>> {
    let spans = locks.iter().map(|known| cell_span(&known.lock.cell));
    let mut columns: BTreeMap<RowColumn, Vec<Cell>> = BTreeMap::new();
    for entry in table.read(Scan::over_all(spans)).await? {
        columns.entry(cell_of(&entry)).or_default().push(entry);
    }
    let mut shown = BTreeMap::new();
    for known in locks {
        let entries = columns.remove(&known.lock.cell).unwrap_or_default();
        if let Some(entry) = known.shown(entries, at)? {
            shown.insert(known.lock.cell.clone(), entry);
        }
    }
    Ok(shown)
}

impl DecidedLock {
    /// Returns the entry that a snapshot shows of the cell once the lock is resolved, given the
    /// entries of its column.
    fn shown(&self, mut entries: Vec<Cell>, at: Timestamp) -> Result<Option<Cell>> {
        let cell = &self.lock.cell;
        for update in self.resolved(Mutation::new(cell.row.clone())).updates {
            if let (Some(timestamp), Change::Put(value)) = (update.timestamp, update.change) {
                entries.retain(|entry| entry.key.timestamp != timestamp);
                let key = Key::new(cell.row.clone(), update.column, timestamp);
                entries.push(Cell::new(key, value));
            }
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let mut filter = ColumnFilter::new(Filter::Snapshot { at });
        let mut shown = entries.into_iter();
        let shown = shown.find(|entry| filter.shows(entry.key.timestamp, &entry.value));
        if let Some(entry) = &shown {
            checked(entry)?;
        }
        Ok(shown)
    }

    /// Adds the entry that ends the lock.
    pub(crate) fn resolved(&self, mutation: Mutation) -> Mutation {
        let FoundLock { cell: RowColumn { column, .. }, start, kind, .. } = &self.lock;
        match self.committed {
            Some(commit) => {
                encode_entries::commit(mutation, column, (*start, commit), *kind, false)
            }
            None => encode_entries::roll_back(mutation, column, *start, *kind),
        }
    }
}
