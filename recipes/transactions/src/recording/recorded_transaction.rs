//! A transaction whose operations are logged: [`RecordedTransaction`].

use std::mem;
use std::ops::Deref;
use std::sync::Arc;

use fluo_engine::Transaction;

use super::recorder::{Filter, LogRecorder};
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
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Instance, InstanceExt};
/// use fluo_recipes::recording::RecordedTransaction;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("web").create().await?;
/// let exported = client
///     .run(async |tx| {
///         let recorded = RecordedTransaction::new(&tx)
///             .filter(|entry| entry.cell().column.family == "page");
///         recorded.set("org.wikipedia", &Column::new("page", "uri"), "https://wikipedia.org")?;
///         recorded.set("org.wikipedia", &Column::new("crawl", "visited"), "3")?;
///         Ok::<_, fluo_engine::Error>(recorded.finish())
///     })
///     .await?;
/// assert_eq!(exported.sets().count(), 1);
/// # Ok(())
/// # }
/// ```
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
pub struct RecordedTransaction {
    transaction: Transaction,
    recorder: Arc<LogRecorder>,
}

impl RecordedTransaction {
    /// Creates a recording that logs all operations.
    #[must_use]
    pub fn new(transaction: &Transaction) -> Self {
        Self::with(transaction, Arc::new(|_| true), TxLog::new())
    }

    /// Adds a filter, which decides whether an operation is logged. The operation itself is always
    /// performed. If there are several filters, all of them must accept the operation.
    #[must_use]
    pub fn filter(self, filter: impl Fn(&LogEntry) -> bool + Send + Sync + 'static) -> Self {
        let earlier = self.recorder.filter.clone();
        let all = Arc::new(move |entry: &LogEntry| earlier(entry) && filter(entry));
        let log = mem::take(&mut *self.recorder.log());
        Self::with(&self.transaction, all, log)
    }

    /// Ends the recording and returns its log.
    #[must_use]
    pub fn finish(self) -> TxLog {
        mem::take(&mut *self.recorder.log())
    }

    fn with(transaction: &Transaction, filter: Filter, log: TxLog) -> Self {
        let recorder = Arc::new(LogRecorder::new(filter, log));
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

#[cfg(test)]
mod tests;
