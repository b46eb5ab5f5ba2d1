//! The public handles for reading and writing, with and without the right to commit, and for reads
//! under a lock.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use fluo_table::coordination::ObserverKind;
use fluo_table::{Bytes, Column, Escaped, Result, RowColumn};
use tracing::field::Empty;
use tracing::{debug, debug_span};

use crate::column::{ReadColumn, WriteColumn};
use crate::context::Shared;
use crate::transaction::buffer::{PendingWrite, WriteBuffer};
use crate::transaction::commit::commit;
use crate::transaction::state::State;
use crate::transaction::{CommitError, CommitInfo, Recorder, Snapshot, Trigger};

/// An open transaction. It reads its snapshot and buffers writes, which take effect together, or
/// not at all, when it is committed. Only its starter can commit it:
/// [`Client::run`](crate::Client::run), a worker, or the owner of an [`OwnedTransaction`].
///
/// A transaction reads one snapshot: the data that was committed before it began. If a transaction
/// of [`Client::run`](crate::Client::run) on a table of another process begins with a read of
/// cells, its snapshot is that of this read. **It does not read its own writes**, as in Fluo: only
/// later transactions read them.
///
/// A transaction writes a cell once. Setting or deleting the cell again is an error, because the
/// intended value would be unclear.
#[derive(Debug)]
pub struct Transaction {
    snapshot: Snapshot,
}

/// A transaction that its owner commits. If the owner drops it instead, nothing is written.
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
/// let tx = client.begin().await?;
/// tx.set("alice", &Column::new("account", "balance"), "100")?;
/// let committed = tx.commit().await?;
/// assert!(committed.commit.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OwnedTransaction {
    transaction: Transaction,
}

impl Transaction {
    /// Sets a cell.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for an empty row or column, the family `ntfy`, an
    /// invalid visibility, a value that the column cannot encode, a cell that was already set or
    /// deleted, more bytes than
    /// [`max_transaction_bytes`](crate::ClientOptions::max_transaction_bytes), or a transaction
    /// that has ended. Earlier writes stay in the buffer.
    pub fn set<V>(
        &self,
        row: impl Into<Bytes>,
        column: &impl WriteColumn<V>,
        value: V,
    ) -> Result<()> {
        self.write(row.into(), column, Some(column.encode(value)?))
    }

    /// Deletes a cell, whether it has a value or not. The errors are those of [`set`](Self::set).
    pub fn delete(&self, row: impl Into<Bytes>, column: &impl ReadColumn) -> Result<()> {
        self.write(row.into(), column, None)
    }

    /// Requests a run of the weak observer of a column on a row, after this transaction has
    /// committed. The cell does not need a value.
    ///
    /// # Errors
    ///
    /// The same as [`set`](Self::set), and [`Invalid`](crate::ErrorKind::Invalid) for a column
    /// without a weak observer.
    pub fn notify(&self, row: impl Into<Bytes>, column: &impl ReadColumn) -> Result<()> {
        let client = &self.state.client;
        let cell = RowColumn::new(row, column.to_column());
        if client.observed(&cell.column) != Some(ObserverKind::Weak) {
            return Err(client.not_weakly_observed(&cell.column));
        }
        let log = || debug!(start = %self.state.start.shown(), %cell, "notify");
        self.state.start.span.in_scope(log);
        self.state.with_buffer(|buffer| buffer.notify(cell))
    }

    /// Returns the number of bytes of rows, columns and values that this transaction can still
    /// write.
    #[must_use]
    pub fn remaining_bytes(&self) -> usize {
        let most = self.state.client.options.max_transaction_bytes;
        most.saturating_sub(self.state.size_bytes())
    }

    /// Returns `true` in an observer whose failure moves the notification to the
    /// [dead letters](crate::WorkerOptions::max_attempts). An observer with a lot of work can then
    /// do the part that succeeds.
    #[must_use]
    pub fn is_last_try(&self) -> bool {
        self.state.trigger.as_ref().is_some_and(|trigger| trigger.is_last_try)
    }

    /// Returns a view whose reads also lock the cells. This transaction then commits only if no
    /// other transaction has written these cells since it began. This prevents write skew, at the
    /// cost of a write for each cell.
    #[must_use]
    pub fn with_read_lock(&self) -> LockedReads {
        LockedReads { snapshot: self.snapshot.clone() }
    }

    /// Returns a handle of this transaction whose reads and writes a recorder receives. This handle
    /// is not recorded.
    #[must_use]
    pub fn recorded_by(&self, recorder: Arc<dyn Recorder>) -> Self {
        let mut snapshot = self.snapshot.clone();
        snapshot.recorder = Some(recorder);
        Self { snapshot }
    }

    fn write(&self, row: Bytes, column: &impl ReadColumn, value: Option<Bytes>) -> Result<()> {
        let cell = RowColumn::new(row, column.to_column());
        self.state.start.span.in_scope(|| match &value {
            Some(value) => {
                debug!(start = %self.state.start.shown(), %cell, value = %Escaped(value), "write");
            }
            None => debug!(start = %self.state.start.shown(), %cell, "delete"),
        });
        let recorder = self.recorder.as_ref();
        let recorded = recorder.map(|recorder| (recorder, cell.clone(), value.clone()));
        let write = PendingWrite::Write(value);
        self.state.with_buffer(|buffer| buffer.write(cell, write))?;
        if let Some((recorder, cell, value)) = recorded {
            recorder.record_write(&cell, value.as_ref());
        }
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

/// The reads of a transaction that also lock the cells, when the transaction commits.
///
/// Several transactions may hold a read lock on a cell at once. A transaction that writes the cell,
/// or has written it since this one began, excludes them. Scans cannot be locked, because a cell
/// that does not exist cannot be locked. A transaction that only reads commits without writing: its
/// snapshot is already consistent.
#[derive(Clone, Debug)]
pub struct LockedReads {
    snapshot: Snapshot,
}

impl LockedReads {
    /// Returns the value of a cell, and locks the cell.
    ///
    /// # Errors
    ///
    /// The same as [`Snapshot::get`], and [`Invalid`](crate::ErrorKind::Invalid) for a cell that
    /// this transaction has set or deleted, or that started it.
    pub async fn get<C: ReadColumn>(
        &self,
        row: impl Into<Bytes>,
        column: &C,
    ) -> Result<Option<C::Value>> {
        let cell = RowColumn::new(row, column.to_column());
        self.lock(&cell)?;
        self.snapshot.get(cell.row, column).await
    }

    /// Returns the values of some columns of a row, and locks each cell. Errors as
    /// [`get`](Self::get).
    pub async fn get_columns<'c>(
        &self,
        row: impl Into<Bytes>,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<BTreeMap<Column, Bytes>> {
        let row = row.into();
        let columns: Vec<&Column> = columns.into_iter().collect();
        for column in &columns {
            self.lock(&RowColumn::new(row.clone(), (*column).clone()))?;
        }
        self.snapshot.get_columns(row, columns).await
    }

    /// Returns the values of some cells, and locks each cell. Errors as [`get`](Self::get).
    pub async fn get_many(
        &self,
        cells: impl IntoIterator<Item = RowColumn>,
    ) -> Result<BTreeMap<RowColumn, Bytes>> {
        let cells: Vec<RowColumn> = cells.into_iter().collect();
        cells.iter().try_for_each(|cell| self.lock(cell))?;
        self.snapshot.get_many(cells).await
    }

    fn lock(&self, cell: &RowColumn) -> Result<()> {
        self.snapshot.state.with_buffer(|buffer| buffer.lock_read(cell.clone()))
    }
}

impl OwnedTransaction {
    pub(crate) async fn begin(client: &Arc<Shared>, trigger: Option<Trigger>) -> Result<Self> {
        let max_bytes = client.options.max_transaction_bytes;
        let mut buffer = WriteBuffer { max_bytes, ..WriteBuffer::default() };
        if let Some(trigger) = trigger.as_ref().filter(|trigger| trigger.is_strong()) {
            buffer.write(trigger.cell.clone(), PendingWrite::Acknowledge)?;
        }
        let span = debug_span!("transaction", start = Empty);
        let state = State::begin(client, span, trigger, Some(buffer)).await?;
        let snapshot = Snapshot { state, recorder: None };
        Ok(Self { transaction: Transaction { snapshot } })
    }

    pub(crate) fn handle(&self) -> Transaction {
        let snapshot = self.transaction.snapshot.clone();
        Transaction { snapshot }
    }

    /// Commits the transaction and consumes it, so its owner can neither commit it again nor set
    /// another cell:
    ///
    /// ```compile_fail,E0382
    /// # async fn commits_twice(client: fluo_engine::Client) -> fluo_engine::Result<()> {
    /// let tx = client.begin().await?;
    /// tx.commit().await?;
    /// tx.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If the future is dropped, the commit continues and its outcome is lost.
    ///
    /// On a table of several servers it returns at its commit point. If another transaction writes
    /// the same rows at once, and does not read them, it may conflict with the remaining locks; see
    /// [`wait_until_rolled_forward`](crate::Client::wait_until_rolled_forward).
    ///
    /// # Errors
    ///
    /// [`CommitError`] states whether the same work may be retried. Nothing was done, unless the
    /// error is [`Uncertain`](crate::ErrorKind::Uncertain).
    pub async fn commit(self) -> Result<CommitInfo, CommitError> {
        let Some(buffer) = self.state.end() else {
            return Err(self.state.has_ended().into());
        };
        // The body chose its writes by its reads.
        if let Some(stale) = self.state.stale() {
            return Err(CommitError::SnapshotTooOld(stale));
        }
        commit(self.state.clone(), buffer).await
    }
}

impl Deref for OwnedTransaction {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self.transaction
    }
}

impl Drop for OwnedTransaction {
    fn drop(&mut self) {
        // The commit may have ended it before.
        drop(self.state.end());
    }
}
