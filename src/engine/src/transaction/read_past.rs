//! Reading past locks that the client did not remove, because a write failed.
//!
//! The reader has determined the status of each transaction. It adds the missing entries to its
//! copy of the columns and filters the result.

use std::collections::BTreeMap;

use fluo_table::layout::ColumnFilter;
use fluo_table::{
    Cell, Change, Key, Mutation, Result, RowColumn, Scan, Table, TableExt, Timestamp,
};

use crate::transaction::corrupt::checked;
use crate::transaction::encode_entries;
use crate::transaction::foreign_lock::FoundLock;
use crate::transaction::raw_read::cell_span;

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
        let cell = RowColumn::new(entry.key.row.clone(), entry.key.column.clone());
        columns.entry(cell).or_default().push(entry);
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
        for update in self.resolution().updates {
            if let (Some(timestamp), Change::Put(value)) = (update.timestamp, update.change) {
                entries.retain(|entry| entry.key.timestamp != timestamp);
                let key = Key::new(cell.row.clone(), update.column, timestamp);
                entries.push(Cell::new(key, value));
            }
        }
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let mut filter = ColumnFilter::snapshot(at);
        let mut shown = entries.into_iter();
        let shown = shown.find(|entry| filter.shows(entry.key.timestamp, &entry.value));
        if let Some(entry) = &shown {
            checked(entry)?;
        }
        Ok(shown)
    }

    /// Returns the mutation that resolves the lock.
    fn resolution(&self) -> Mutation {
        let FoundLock { cell: RowColumn { row, column }, start, kind, .. } = &self.lock;
        let mutation = Mutation::new(row.clone());
        match self.committed {
            Some(commit) => {
                encode_entries::commit(mutation, column, (*start, commit), *kind, false)
            }
            None => encode_entries::roll_back(mutation, column, *start, *kind),
        }
    }
}
