//! Reads under a lock.

use std::collections::BTreeMap;

use crate::data::{Bytes, Column, RowColumn};
use crate::error::Result;
use crate::transaction::Transaction;

/// Reads of a transaction that also lock what they read, at commit.
///
/// Several transactions may lock a cell for reading at once. One that writes it, or has written it since this one began,
/// excludes them. Scans cannot be locked, because what is not there cannot be. A transaction that only reads commits
/// without writing anything: its snapshot is consistent already.
#[derive(Clone, Copy, Debug)]
pub struct ReadLocking<'a> {
    transaction: &'a Transaction,
}

impl<'a> ReadLocking<'a> {
    pub(crate) fn new(transaction: &'a Transaction) -> Self {
        Self { transaction }
    }

    /// The value of a cell, locked.
    ///
    /// # Errors
    /// As [`Snapshot::get`](crate::Snapshot::get); [`Invalid`](crate::ErrorKind::Invalid) for a cell that this transaction
    /// has set or deleted, or that started it.
    pub async fn get(&self, row: impl Into<Bytes>, column: &Column) -> Result<Option<Bytes>> {
        let cell = RowColumn::new(row, column.clone());
        self.transaction.lock_read(cell.clone())?;
        self.transaction.get(cell.row, column).await
    }

    /// The values of some columns of a row, each locked.
    ///
    /// # Errors
    /// As [`get`](Self::get).
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

    /// The values of some cells, each locked.
    ///
    /// # Errors
    /// As [`get`](Self::get).
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
