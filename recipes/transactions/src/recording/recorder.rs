//! The entries so far, and the filter that they pass.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_engine::{Bytes, Cell, Recorder, RowColumn};

use super::{LogEntry, TxLog};

/// A function that decides whether an entry is logged.
pub(super) type Filter = Arc<dyn Fn(&LogEntry) -> bool + Send + Sync>;

/// The log of a recording in progress.
pub(super) struct LogRecorder {
    pub(super) filter: Filter,
    log: Mutex<TxLog>,
}

impl LogRecorder {
    /// Creates a recorder that continues a log.
    pub(super) fn new(filter: Filter, log: TxLog) -> Self {
        Self { filter, log: Mutex::new(log) }
    }

    pub(super) fn log(&self) -> MutexGuard<'_, TxLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs the entries that the filter accepts. It runs before the log is locked, because a filter
    /// may use the recording.
    fn add(&self, entries: impl IntoIterator<Item = LogEntry>) {
        let entries = entries.into_iter();
        let accepted: Vec<_> = entries.filter(|entry| (self.filter)(entry)).collect();
        self.log().extend(accepted);
    }
}

impl Recorder for LogRecorder {
    fn record_read(&self, cells: &[Cell]) {
        self.add(cells.iter().map(|cell| {
            let position = RowColumn::new(cell.key.row.clone(), cell.key.column.clone());
            LogEntry::for_get(position, cell.value.clone())
        }));
    }

    fn record_write(&self, cell: &RowColumn, value: Option<&Bytes>) {
        self.add([match value {
            Some(value) => LogEntry::for_set(cell.clone(), value.clone()),
            None => LogEntry::for_delete(cell.clone()),
        }]);
    }
}

impl fmt::Debug for LogRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogRecorder").field("log", &self.log).finish_non_exhaustive()
    }
}
