//! Recorded reads under a lock: [`RecordedLockedReads`].

use std::collections::BTreeMap;

use fluo_engine::column::ReadColumn;
use fluo_engine::{Bytes, Column, LockedReads, Result, RowColumn};

use super::recorder::Recorder;

/// A view of a recorded transaction whose reads also lock the cells, like [`LockedReads`].
///
/// A read is logged like one without a lock: one [`Get`](super::Operation::Get) for each value.
#[derive(Clone, Copy, Debug)]
pub struct RecordedLockedReads<'r> {
    reads: LockedReads<'r>,
    recorder: &'r Recorder<'r>,
}

impl<'r> RecordedLockedReads<'r> {
    pub(super) fn new(reads: LockedReads<'r>, recorder: &'r Recorder<'r>) -> Self {
        Self { reads, recorder }
    }

    /// Returns the value of a cell, locks the cell, and logs the value.
    ///
    /// # Errors
    ///
    /// The same as [`LockedReads::get`]. Nothing is logged then.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        let found = self.reads.get(cell.row.clone(), &cell.column).await?;
        let logged = found.clone().map(|value| (cell.clone(), value));
        self.recorder.log_gets(logged);
        found.map(|found| column.decode(&cell, found)).transpose()
    }

    /// Returns the values of some columns of a row, locks each cell, and logs each value.
    ///
    /// # Errors
    ///
    /// The same as [`LockedReads::get_columns`]. Nothing is logged then.
    pub async fn get_columns<'c>(
        &self,
        row: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let values = self.reads.get_columns(row.clone(), columns).await?;
        self.recorder.log_row(&row, &values);
        Ok(values)
    }

    /// Returns the values of some cells, locks each cell, and logs each value.
    ///
    /// # Errors
    ///
    /// The same as [`LockedReads::get_all`]. Nothing is logged then.
    pub async fn get_all(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let values = self.reads.get_all(cells).await?;
        self.recorder.log_gets(values.clone());
        Ok(values)
    }
}
