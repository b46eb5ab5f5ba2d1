//! The public handle for reading, and the hook of a transaction.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{
    Bytes, Cell, CellBatches, Column, ColumnSelector, Error, Result, RowColumn, Scan, Span,
    Timestamp,
};
use futures::stream::{StreamExt, TryStreamExt};
use tracing::debug_span;
use tracing::field::Empty;

use crate::column::ReadColumn;
use crate::context::Shared;
use crate::transaction::buffer::check_cell;
use crate::transaction::state::State;
use crate::transaction::status::cell_span;

/// The state of a table at one timestamp, available for as long as the snapshot is held.
///
/// It shows the data of all rows that was committed before the snapshot was taken. Taking a
/// snapshot costs nothing. A snapshot holds back garbage collection until it is dropped or is older
/// than [`max_transaction_age`](crate::ClientOptions::max_transaction_age). From then on its reads
/// may fail with [`SnapshotTooOld`](crate::SnapshotTooOld), but never return wrong data. A read
/// that meets the lock of another transaction waits for it, or rolls that transaction back if its
/// transactor is dead.
///
/// # Examples
///
/// ```
/// # use fluo_engine::{Instance, InstanceExt};
/// use fluo_engine::Column;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// # let fluo = Instance::in_memory();
/// # let client = fluo.application("bank").create().await?;
/// let balance = Column::new("account", "balance");
/// client.run(async |tx| tx.set("alice", &balance, "100")).await?;
///
/// let before = client.snapshot().await?;
/// client.run(async |tx| tx.set("alice", &balance, "80")).await?;
/// assert_eq!(before.get("alice", &balance).await?.as_deref(), Some(&b"100"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
    pub(super) recorder: Option<Arc<dyn Recorder>>,
}

impl Snapshot {
    pub(crate) async fn begin(client: &Arc<Shared>) -> Result<Self> {
        let span = debug_span!("snapshot", start = Empty);
        let state = State::begin(client, span, None, None).await?;
        // It shows the data at the time of this call, not at that of its first read.
        state.start();
        Ok(Self { state, recorder: None })
    }

    /// Returns the timestamp at which it reads.
    pub fn start(&self) -> Timestamp {
        self.state.start()
    }

    /// Returns lower bounds of the [times](fluo_table::coordination::Timeline) since timestamps
    /// were handed out; `None` if it is not known.
    ///
    /// # Errors
    ///
    /// Those of the coordination.
    pub async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        self.state.client.coordination.ages(timestamps).await
    }

    /// Returns the value of a cell, or `None` if it has no value.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for a cell that no transaction can hold (an empty
    /// row, an empty column, the family `ntfy`, an invalid visibility);
    /// [`Corrupt`](crate::ErrorKind::Corrupt) for a value that a typed column cannot decode;
    /// [`Unavailable`](crate::ErrorKind::Unavailable) with
    /// [`SnapshotTooOld`](crate::SnapshotTooOld) as its source; all errors of the table and the
    /// coordination. A failed read may have rolled back a dead transaction, and has no other
    /// effect.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        let found = self.read_cell(&cell).await?;
        found.map(|found| column.decode(&cell, found.value)).transpose()
    }

    /// Returns a cell. Its timestamp is the start of the transaction that wrote it. Errors as
    /// [`get`](Self::get).
    pub async fn get_cell(&self, row: impl Into<Bytes>, column: &Column) -> Result<Option<Cell>> {
        self.read_cell(&RowColumn::new(row, column.clone())).await
    }

    async fn read_cell(&self, cell: &RowColumn) -> Result<Option<Cell>> {
        check_cell(cell)?;
        let mut batches = self.scan(Scan::over(cell_span(cell)));
        Ok(batches.try_next().await?.and_then(|cells| cells.into_iter().next()))
    }

    /// Reads all cells of a scan, and records them once all of them are read.
    async fn read(&self, scan: Scan) -> Result<Vec<Cell>> {
        let found: Vec<Cell> = self.state.scan(scan).try_concat().await?;
        if let Some(recorder) = &self.recorder {
            recorder.record_read(&found);
        }
        Ok(found)
    }

    /// Returns the values of some columns of a row. The result omits columns without a value.
    /// Errors as [`get`](Self::get).
    pub async fn get_columns<'a>(
        &self,
        row: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'a Column>,
    ) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let cells = columns.into_iter().map(|column| RowColumn::new(row.clone(), column.clone()));
        let found = self.get_many(cells).await?;
        Ok(found.into_iter().map(|(cell, value)| (cell.column, value)).collect())
    }

    /// Returns the values of some cells, read in one scan. The result omits cells without a value.
    /// Errors as [`get`](Self::get).
    pub async fn get_many(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let cells: Vec<RowColumn> = cells.into_iter().collect();
        cells.iter().try_for_each(check_cell)?;
        let found = self.read(Scan::over_all(cells.iter().map(cell_span))).await?;
        let value = |cell: Cell| (RowColumn::new(cell.key.row, cell.key.column), cell.value);
        Ok(found.into_iter().map(value).collect())
    }

    /// Returns all cells of a row. Errors as [`get`](Self::get).
    pub async fn row(&self, row: impl Into<Bytes>) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        if row.is_empty() {
            return Err(Error::invalid(
                "the row is empty; a transaction needs a row of at least one byte",
            ));
        }
        let found = self.read(Scan::over(Span::row(row))).await?;
        Ok(found.into_iter().map(|cell| (cell.key.column, cell.value)).collect())
    }

    /// Reads cells in key order, in batches. The timestamp of a cell is the start of the
    /// transaction that wrote it.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error. The errors are the same as for [`get`](Self::get),
    /// and [`Invalid`](crate::ErrorKind::Invalid) for a scan with a filter.
    pub fn scan(&self, scan: Scan) -> CellBatches {
        let batches = self.state.scan(scan);
        match self.recorder.clone() {
            None => batches,
            Some(recorder) => batches.inspect_ok(move |cells| recorder.record_read(cells)).boxed(),
        }
    }

    /// Reads some columns of all rows with a prefix, like [`scan`](Self::scan). An empty list
    /// selects all columns.
    ///
    /// # Errors
    ///
    /// The same as [`scan`](Self::scan).
    pub fn scan_prefix<'a>(
        &self,
        prefix: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'a Column>,
    ) -> CellBatches {
        let select = |column: &Column| {
            ColumnSelector::qualifier(column.family.clone(), column.qualifier.clone())
        };
        let scan = Scan::over(Span::prefix(prefix));
        self.scan(columns.into_iter().map(select).fold(scan, Scan::column))
    }
}

/// A receiver of the reads and writes of a transaction, each after it has succeeded.
///
/// [`Transaction::recorded_by`](crate::Transaction::recorded_by) sets it. The calls must be short
/// and must not use the transaction.
pub trait Recorder: Debug + Send + Sync {
    /// Records the cells that a read returned, in key order. A scan records a batch when the caller
    /// receives it.
    fn record_read(&self, cells: &[Cell]);

    /// Records a write that the transaction has accepted. `None` is a delete.
    fn record_write(&self, cell: &RowColumn, value: Option<&Bytes>);
}
