//! The entries so far, and the filters that they pass.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use fluo_engine::{Bytes, Cell, Column, Result, RowColumn};
use fluo_table::CellBatches;
use futures::stream::{BoxStream, StreamExt, TryStreamExt};

use super::{LogEntry, TxLog};

/// A function that decides whether an entry is logged.
type Filter<'a> = Box<dyn Fn(&LogEntry) -> bool + Send + Sync + 'a>;

/// The log of a recording in progress.
#[derive(Default)]
pub(super) struct Recorder<'a> {
    filters: Vec<Filter<'a>>,
    log: Mutex<TxLog>,
}

impl<'a> Recorder<'a> {
    /// Adds a filter, which applies to later entries.
    pub(super) fn add_filter(&mut self, filter: impl Fn(&LogEntry) -> bool + Send + Sync + 'a) {
        self.filters.push(Box::new(filter));
    }

    /// Logs an entry if all filters accept it.
    pub(super) fn log(&self, entry: LogEntry) {
        self.log_all([entry]);
    }

    /// Logs the values that a read has returned.
    pub(super) fn log_gets(&self, values: impl IntoIterator<Item = (RowColumn, Bytes)>) {
        let get = |(cell, value): (RowColumn, Bytes)| LogEntry::for_get(cell, value);
        self.log_all(values.into_iter().map(get));
    }

    /// Logs the values that a read of a row has returned.
    pub(super) fn log_row(&self, row: &Bytes, values: &BTreeMap<Column, Bytes>) {
        self.log_gets(values.iter().map(|(column, value)| {
            let cell = RowColumn::new(row.clone(), column.clone());
            (cell, value.clone())
        }));
    }

    /// Logs the cells that a read has returned.
    pub(super) fn log_cells<'c>(&self, cells: impl IntoIterator<Item = &'c Cell>) {
        self.log_gets(cells.into_iter().map(|cell| {
            let position = RowColumn::new(cell.key.row.clone(), cell.key.column.clone());
            (position, cell.value.clone())
        }));
    }

    /// Logs the cells of each batch when the caller receives the batch.
    pub(super) fn log_batches(&self, batches: CellBatches) -> BoxStream<'_, Result<Vec<Cell>>> {
        batches
            .inspect_ok(|cells: &Vec<Cell>| self.log_cells(cells))
            .boxed()
    }

    /// Returns the log.
    pub(super) fn into_log(self) -> TxLog {
        self.log
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the log so far.
    #[cfg(test)]
    pub(super) fn to_log(&self) -> TxLog {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.clone()
    }

    /// Logs the entries that all filters accept. The filters run before the log is locked, because
    /// a filter may use the recording.
    fn log_all(&self, entries: impl IntoIterator<Item = LogEntry>) {
        let accepted = |entry: &LogEntry| self.filters.iter().all(|filter| filter(entry));
        let accepted: Vec<_> = entries.into_iter().filter(accepted).collect();
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend(accepted);
    }
}

impl fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}
