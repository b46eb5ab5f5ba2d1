//! A transaction whose operations are logged: [`RecordedTransaction`].

use std::collections::BTreeMap;

use fluo_engine::column::{ReadColumn, WriteColumn};
use fluo_engine::{Bytes, Cell, Column, Result, RowColumn, Timestamp, Transaction};
use fluo_table::Scan;
use futures::stream::BoxStream;

use super::recorder::Recorder;
use super::{LogEntry, RecordedLockedReads, TxLog};

/// A transaction whose reads and writes are logged.
///
/// Its methods have the names, the arguments and the errors of those of [`Transaction`] and
/// [`Snapshot`](fluo_engine::Snapshot). The rules of the log are in the [module](super). The
/// wrapped transaction stays usable: operations on it are not logged.
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
pub struct RecordedTransaction<'a> {
    transaction: &'a Transaction,
    recorder: Recorder<'a>,
}

impl<'a> RecordedTransaction<'a> {
    /// Creates a recording that logs all operations.
    #[must_use]
    pub fn new(transaction: &'a Transaction) -> Self {
        Self {
            transaction,
            recorder: Recorder::default(),
        }
    }

    /// Adds a filter, which decides whether an operation is logged. The operation itself is always
    /// performed. If there are several filters, all of them must accept the operation.
    #[must_use]
    pub fn filter(mut self, filter: impl Fn(&LogEntry) -> bool + Send + Sync + 'a) -> Self {
        self.recorder.add_filter(filter);
        self
    }

    /// Ends the recording and returns its log.
    #[must_use]
    pub fn finish(self) -> TxLog {
        self.recorder.into_log()
    }

    /// Returns the timestamp at which the transaction reads.
    #[must_use]
    pub fn start(&self) -> Timestamp {
        self.transaction.start()
    }

    /// Returns the value of a cell and logs it. If the cell has no value, nothing is logged.
    ///
    /// # Errors
    ///
    /// The same as [`Snapshot::get`](fluo_engine::Snapshot::get). Nothing is logged then, except if
    /// the value cannot be decoded.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        let found = self.get_cell(cell.row.clone(), &cell.column).await?;
        found
            .map(|found| column.decode(&cell, found.value))
            .transpose()
    }

    /// Returns a cell and logs its value.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_cell(&self, row: impl Into<Bytes>, column: &Column) -> Result<Option<Cell>> {
        let cell = self.transaction.get_cell(row, column).await?;
        self.recorder.log_cells(&cell);
        Ok(cell)
    }

    /// Returns the values of some columns of a row and logs each of them.
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
        let values = self.transaction.get_columns(row.clone(), columns).await?;
        self.recorder.log_row(&row, &values);
        Ok(values)
    }

    /// Returns the values of some cells and logs each of them.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_all(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let values = self.transaction.get_all(cells).await?;
        self.recorder.log_gets(values.clone());
        Ok(values)
    }

    /// Returns the values of some columns of some rows and logs each of them.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_rows<'c>(
        &self,
        rows: impl IntoIterator<Item = Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<BTreeMap<Bytes, BTreeMap<Column, Bytes>>> {
        let found = self.transaction.get_rows(rows, columns).await?;
        for (row, values) in &found {
            self.recorder.log_row(row, values);
        }
        Ok(found)
    }

    /// Returns all cells of a row and logs each of them.
    ///
    /// # Errors
    ///
    /// The same as [`get`](Self::get).
    pub async fn get_row(&self, row: impl Into<Bytes>) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let values = self.transaction.get_row(row.clone()).await?;
        self.recorder.log_row(&row, &values);
        Ok(values)
    }

    /// Reads cells in key order, in batches. The cells of a batch are logged when the caller
    /// receives the batch, so cells that were not received are not in the log.
    ///
    /// The stream borrows the recording, which therefore cannot be finished before the stream is
    /// dropped.
    ///
    /// # Errors
    ///
    /// The same as [`Snapshot::scan`](fluo_engine::Snapshot::scan). The batches before an error are
    /// logged.
    pub fn scan(&self, scan: Scan) -> BoxStream<'_, Result<Vec<Cell>>> {
        self.recorder.log_batches(self.transaction.scan(scan))
    }

    /// Reads some columns of all rows with a prefix, like [`scan`](Self::scan). An empty list
    /// selects all columns.
    ///
    /// # Errors
    ///
    /// The same as [`scan`](Self::scan).
    pub fn scan_prefix<'c>(
        &self,
        prefix: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> BoxStream<'_, Result<Vec<Cell>>> {
        let batches = self.transaction.scan_prefix(prefix, columns);
        self.recorder.log_batches(batches)
    }

    /// Returns a view whose reads also lock the cells. Its reads are logged too.
    #[must_use]
    pub fn with_read_lock(&self) -> RecordedLockedReads<'_> {
        RecordedLockedReads::new(self.transaction.with_read_lock(), &self.recorder)
    }

    /// Sets a cell and logs the new value.
    ///
    /// # Errors
    ///
    /// The same as [`Transaction::set`]. Nothing is logged then.
    pub fn set<V>(
        &self,
        row: impl Into<Bytes>,
        column: &impl WriteColumn<V>,
        value: V,
    ) -> Result<()> {
        let (cell, value) = (
            RowColumn::new(row, column.to_column()),
            column.encode(value)?,
        );
        self.transaction
            .set(cell.row.clone(), &cell.column, value.clone())?;
        self.recorder.log(LogEntry::for_set(cell, value));
        Ok(())
    }

    /// Deletes a cell and logs the delete.
    ///
    /// # Errors
    ///
    /// The same as [`Transaction::delete`]. Nothing is logged then.
    pub fn delete(&self, row: impl Into<Bytes>, column: &impl ReadColumn) -> Result<()> {
        let cell = RowColumn::new(row, column.to_column());
        self.transaction.delete(cell.row.clone(), &cell.column)?;
        self.recorder.log(LogEntry::for_delete(cell));
        Ok(())
    }

    /// Requests a run of the weak observer of a column on a row. This is not logged.
    ///
    /// # Errors
    ///
    /// The same as [`Transaction::notify`].
    pub fn notify(&self, row: impl Into<Bytes>, column: &impl ReadColumn) -> Result<()> {
        self.transaction.notify(row, column)
    }
}

#[cfg(test)]
mod tests;
