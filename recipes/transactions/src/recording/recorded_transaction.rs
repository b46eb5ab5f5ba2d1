//! A transaction whose operations are logged: [`RecordedTransaction`].

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, mem};

use fluo_engine::{Bytes, Cell, Recorder, RowColumn, Transaction};

use super::{LogEntry, TxLog};

/// A transaction whose reads and writes are logged.
///
/// It dereferences to a handle of the [`Transaction`]: its reads, its locked reads and its writes
/// are logged, also those of a recipe that gets the handle. The rules of the log are in the
/// [module](super). The original handle stays usable: operations on it are not logged.
///
/// The log shares the bytes of the values with the batches in which a table returned them. So a
/// filter that accepts a few cells of a large scan may keep the whole batches of these cells in
/// memory.
///
/// Once the log is taken, the recording cannot be used. This does not compile:
///
/// ```compile_fail,E0382
/// # fn sets_too_late(tx: &fluo_engine::Transaction, column: &fluo_engine::Column) -> fluo_engine::Result<()> {
/// let recorded = fluo_recipes::recording::RecordedTransaction::new(tx);
/// let log = recorded.finish();
/// recorded.set("alice", column, "100")
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct RecordedTransaction {
    transaction: Transaction,
    recorder: Arc<LogRecorder>,
}

impl RecordedTransaction {
    /// Creates a recording that logs all operations.
    pub fn new(transaction: &Transaction) -> Self {
        Self::with(transaction, Arc::new(|_| true), TxLog::default())
    }

    /// Adds a filter, which decides whether an operation is logged. The operation itself is always
    /// performed. If there are several filters, all of them must accept the operation.
    pub fn filter(self, filter: impl Fn(&LogEntry) -> bool + Send + Sync + 'static) -> Self {
        let earlier = self.recorder.filter.clone();
        let all = Arc::new(move |entry: &LogEntry| earlier(entry) && filter(entry));
        Self::with(&self.transaction, all, mem::take(&mut *self.recorder.log()))
    }

    /// Ends the recording and returns its log. Batches of a scan that are received later are not
    /// logged.
    #[must_use]
    pub fn finish(self) -> TxLog {
        mem::take(&mut *self.recorder.log())
    }

    fn with(transaction: &Transaction, filter: Filter, log: TxLog) -> Self {
        let recorder = Arc::new(LogRecorder { filter, log: Mutex::new(log) });
        let transaction = transaction.recorded_by(recorder.clone());
        Self { transaction, recorder }
    }
}

impl Deref for RecordedTransaction {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self.transaction
    }
}

type Filter = Arc<dyn Fn(&LogEntry) -> bool + Send + Sync>;

struct LogRecorder {
    filter: Filter,
    log: Mutex<TxLog>,
}

impl LogRecorder {
    fn log(&self) -> MutexGuard<'_, TxLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs the entries that the filter accepts. It runs before the log is locked, because a filter
    /// may use the recording.
    fn add(&self, entries: impl IntoIterator<Item = LogEntry>) {
        let entries = entries.into_iter();
        let accepted: Vec<_> = entries.filter(|entry| (self.filter)(entry)).collect();
        self.log().entries.extend(accepted);
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

#[cfg(test)]
mod tests;
