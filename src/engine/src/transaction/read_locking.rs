//! Reads under a lock.

use std::collections::BTreeMap;

use fluo_table::{Bytes, Column, Result, RowColumn};

use crate::column::ReadColumn;
use crate::transaction::Snapshot;

/// The reads of a transaction that also lock the cells, when the transaction commits.
///
/// Several transactions may hold a read lock on a cell at once. A transaction that writes the cell,
/// or has written it since this one began, excludes them. Scans cannot be locked, because a cell
/// that does not exist cannot be locked. A transaction that only reads commits without writing: its
/// snapshot is already consistent.
#[derive(Clone, Debug)]
pub struct LockedReads {
    pub(super) snapshot: Snapshot,
}

impl LockedReads {
    /// Returns the value of a cell, and locks the cell.
    ///
    /// # Errors
    ///
    /// The same as [`Snapshot::get`], and [`Invalid`](crate::ErrorKind::Invalid) for a cell that
    /// this transaction has set or deleted, or that started it.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        self.lock(&cell)?;
        self.snapshot.get(cell.row, column).await
    }

    /// Returns the values of some columns of a row, and locks each cell. Errors as
    /// [`get`](Self::get).
    pub async fn get_columns<'c>(
        &self,
        row: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let columns: Vec<&Column> = columns.into_iter().collect();
        for column in &columns {
            self.lock(&RowColumn::new(row.clone(), (*column).clone()))?;
        }
        self.snapshot.get_columns(row, columns).await
    }

    /// Returns the values of some cells, and locks each cell. Errors as [`get`](Self::get).
    pub async fn get_many(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let cells: Vec<RowColumn> = cells.into_iter().collect();
        cells.iter().try_for_each(|cell| self.lock(cell))?;
        self.snapshot.get_many(cells).await
    }

    fn lock(&self, cell: &RowColumn) -> Result<()> {
        let lock = cell.clone();
        let state = &self.snapshot.state;
        state.with_buffer(|buffer, most| buffer.lock_read(lock, most))
    }
}
