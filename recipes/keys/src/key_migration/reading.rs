//! Reading one row from all of its keys.

use std::num::NonZeroUsize;

use fluo_table::{Bytes, Cell, Column, ColumnSelector, Filter, Scan, Span, Table};
use futures_util::TryStreamExt;

use super::designs::KeyMigration;
use crate::cells::merged;
use crate::error::RecipeError;

impl KeyMigration {
    /// Returns the cells of a row from all of its keys, of these columns, or of all columns if the
    /// list is empty.
    ///
    /// The cells' keys contain the row as it is stored.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs has a key for the row; also as [`Table::scan`].
    pub async fn read_row(
        &self,
        table: &dyn Table,
        row: &[u8],
        columns: &[ColumnSelector],
    ) -> Result<Vec<Cell>, RecipeError> {
        let mut places = Vec::new();
        // One after the other, oldest first (E2).
        for key in self.keys(row)? {
            let scan = columns.iter().cloned().fold(Scan::over(Span::row(key)), Scan::column);
            places.push(table.read(scan).await?);
        }
        Ok(merged(places, self.versions, Filter::None))
    }

    /// Returns the newest visible value of a cell, from any of the row's keys.
    ///
    /// # Errors
    ///
    /// As [`read_row`](Self::read_row).
    pub async fn get(
        &self,
        table: &dyn Table,
        row: &[u8],
        column: &Column,
    ) -> Result<Option<Bytes>, RecipeError> {
        let mut places = Vec::new();
        for key in self.keys(row)? {
            // A single batch of one cell: a column may have many versions.
            let scan = Scan::over(Span::cell(key, column)).batch_cells(NonZeroUsize::MIN);
            places.push(table.scan(scan).try_next().await?.unwrap_or_default());
        }
        let newest = merged(places, self.versions, Filter::FirstOfRow);
        Ok(newest.into_iter().next().map(|cell| cell.value))
    }
}
