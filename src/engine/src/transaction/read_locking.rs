//! Reads under a lock.

use std::collections::BTreeMap;

use fluo_table::{Bytes, Column, Result, RowColumn};

use crate::transaction::Transaction;
use crate::transaction::column::ReadColumn;

/// A view of a transaction whose reads also lock the cells, when the transaction commits.
///
/// Several transactions may hold a read lock on a cell at once. A transaction that writes the cell,
/// or has written it since this one began, excludes them. Scans cannot be locked, because a cell
/// that does not exist cannot be locked. A transaction that only reads commits without writing: its
/// snapshot is already consistent.
#[derive(Clone, Copy, Debug)]
pub struct LockedReads<'a> {
    transaction: &'a Transaction,
}

impl<'a> LockedReads<'a> {
    pub(crate) fn new(transaction: &'a Transaction) -> Self {
        Self { transaction }
    }

    /// Returns the value of a cell, and locks the cell.
    ///
    /// # Errors
    ///
    /// The same as [`Snapshot::get`](crate::Snapshot::get), and
    /// [`Invalid`](crate::ErrorKind::Invalid) for a cell that this transaction has set or deleted,
    /// or that started it.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        self.transaction.lock_read(cell.clone())?;
        self.transaction.get(cell.row, column).await
    }

    /// Returns the values of some columns of a row, and locks each cell.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_columns<'c>(
        &self,
        row: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let cells = columns
            .into_iter()
            .map(|column| RowColumn::new(row.clone(), column.clone()));
        let found = self.get_all(cells).await?;
        Ok(found
            .into_iter()
            .map(|(cell, value)| (cell.column, value))
            .collect())
    }

    /// Returns the values of some cells, and locks each cell.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_all(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let cells: Vec<RowColumn> = cells.into_iter().collect();
        for cell in &cells {
            self.transaction.lock_read(cell.clone())?;
        }
        self.transaction.get_all(cells).await
    }
}
