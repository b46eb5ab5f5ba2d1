//! Reading one row, wherever it is.

use std::num::NonZeroUsize;

use fluo_core::{Bytes, Cell, Column, ColumnSelector, Filter, Scan, Span, Table, TableExt};
use futures::TryStreamExt;

use super::error::EpochsError;
use super::list::Epochs;
use super::merging::merged;

impl Epochs {
    /// The cells of a row, from all places in which it can be; of these columns, or of all if there are none.
    ///
    /// The cells' keys hold the row as it is stored.
    ///
    /// # Errors
    /// A row that has no key in any of the designs; and as [`Table::scan`].
    pub async fn read_row(
        &self,
        table: &dyn Table,
        row: &[u8],
        columns: &[ColumnSelector],
    ) -> Result<Vec<Cell>, EpochsError> {
        let mut places = Vec::new();
        // One after the other, the oldest first (E2).
        for key in self.keys(row)? {
            let scan = Scan::over(Span::row(key));
            let scan = columns.iter().cloned().fold(scan, Scan::column);
            places.push(table.read(scan).await?);
        }
        Ok(merged(places, self.versions(), Filter::None))
    }

    /// The newest visible value of a cell, wherever it is.
    ///
    /// # Errors
    /// As [`read_row`](Self::read_row).
    pub async fn get(
        &self,
        table: &dyn Table,
        row: &[u8],
        column: &Column,
    ) -> Result<Option<Bytes>, EpochsError> {
        let mut places = Vec::new();
        for key in self.keys(row)? {
            // One cell a batch, and one batch: a column may have many versions.
            let scan = Scan::over(Span::cell(key, column)).batch_cells(NonZeroUsize::MIN);
            places.push(table.scan(scan).try_next().await?.unwrap_or_default());
        }
        let newest = merged(places, self.versions(), Filter::FirstOfRow);
        Ok(newest.into_iter().next().map(|cell| cell.value))
    }
}
