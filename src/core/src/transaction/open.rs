//! The public handle for reading and writing, without the right to commit.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{debug, debug_span};

use crate::client::Shared;
use crate::coordination::ObserverKind;
use crate::data::{Bytes, Column, Escaped, RowColumn, Timestamp};
use crate::error::{Error, Result};
use crate::transaction::buffer::{PendingWrite, WriteBuffer};
use crate::transaction::plan::Trigger;
use crate::transaction::reading::Reading;
use crate::transaction::{CommitError, ReadLocking, Snapshot, commit};

/// A transaction that is open: it reads its snapshot, and gathers writes that take effect together, or not at all,
/// when it is committed. Committing is for whoever began it: [`Client::run`](crate::Client::run), a worker, or the owner
/// of an [`OwnedTransaction`].
///
/// It reads what was committed before it began. **It does not read its own writes**: as in Fluo, what a transaction has
/// set is seen by those that come after it.
///
/// A cell is written once: setting or deleting it again is an error, because nobody could say which was meant.
#[derive(Debug)]
pub struct Transaction {
    open: Arc<Open>,
}

/// A transaction that its owner commits, or drops: then nothing of it was ever written.
///
/// ```
/// # use fluo_core::Instance;
/// use fluo_core::Column;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
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

/// What became of a transaction that was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Where it read.
    pub start: Timestamp,
    /// Where its writes can be seen from on; none where it wrote nothing.
    pub commit: Option<Timestamp>,
}

/// What its handles share.
#[derive(Debug)]
pub(crate) struct Open {
    snapshot: Snapshot,
    trigger: Option<Trigger>,
    /// `None` once it was committed or given up.
    buffer: Mutex<Option<WriteBuffer>>,
}

impl Open {
    pub(crate) async fn begin(client: &Arc<Shared>, trigger: Option<Trigger>) -> Result<Arc<Self>> {
        let span = |start| debug_span!("transaction", %start);
        let reading = Arc::new(Reading::begin(client.clone(), span).await?);
        let mut buffer = WriteBuffer::default();
        if let Some(trigger) = &trigger
            && trigger.kind == ObserverKind::Strong
        {
            let most = client.settings.max_transaction_bytes;
            buffer.write(trigger.cell.clone(), PendingWrite::Acknowledge, most)?;
        }
        Ok(Arc::new(Self {
            snapshot: Snapshot { reading },
            trigger,
            buffer: Mutex::new(Some(buffer)),
        }))
    }

    /// A handle for somebody who may not commit.
    pub(crate) fn handle(self: &Arc<Self>) -> Transaction {
        Transaction { open: self.clone() }
    }

    pub(crate) fn reading(&self) -> &Arc<Reading> {
        &self.snapshot.reading
    }

    /// Ends it without a commit: its handles can do nothing any more.
    pub(crate) fn end(&self) {
        self.locked().take();
    }

    /// Bytes of what it is going to write.
    pub(crate) fn size_bytes(&self) -> usize {
        self.locked().as_ref().map_or(0, WriteBuffer::size_bytes)
    }

    /// Ends it with a commit.
    pub(crate) async fn commit(&self) -> Result<Committed, CommitError> {
        let Some(buffer) = self.locked().take() else {
            return Err(self.has_ended().into());
        };
        // What was read decided what is written.
        if let Some(stale) = self.reading().stale() {
            return Err(CommitError::Stale(stale));
        }
        commit::commit(self.reading().clone(), buffer, self.trigger.clone()).await
    }

    fn with_buffer<T>(&self, change: impl FnOnce(&mut WriteBuffer) -> Result<T>) -> Result<T> {
        match self.locked().as_mut() {
            Some(buffer) => change(buffer),
            None => Err(self.has_ended()),
        }
    }

    fn has_ended(&self) -> Error {
        Error::invalid(format!(
            "the transaction that began at {} has ended; begin another one",
            self.reading().start()
        ))
    }

    fn max_bytes(&self) -> usize {
        self.reading().client.settings.max_transaction_bytes
    }

    fn locked(&self) -> MutexGuard<'_, Option<WriteBuffer>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transaction {
    /// Sets a cell.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): an empty row or column, the family `ntfy`, a visibility that cannot be read, a
    /// cell that was set or deleted before, more bytes than
    /// [`max_transaction_bytes`](crate::ClientSettings::max_transaction_bytes), a transaction that has ended. What was set
    /// before stays set.
    pub fn set(
        &self,
        row: impl Into<Bytes>,
        column: &Column,
        value: impl Into<Bytes>,
    ) -> Result<()> {
        self.write(row.into(), column, PendingWrite::Set(value.into()))
    }

    /// Deletes a cell, whether it has a value or not.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn delete(&self, row: impl Into<Bytes>, column: &Column) -> Result<()> {
        self.write(row.into(), column, PendingWrite::Delete)
    }

    /// Asks for the weak observer of a column to run on a row once this transaction has committed. The cell needs no
    /// value.
    ///
    /// # Errors
    /// As [`set`](Self::set); [`Invalid`](crate::ErrorKind::Invalid) for a column without a weak observer.
    pub fn notify(&self, row: impl Into<Bytes>, column: &Column) -> Result<()> {
        let client = &self.open.reading().client;
        if client.observed(column) != Some(ObserverKind::Weak) {
            return Err(client.not_weakly_observed(column));
        }
        let cell = RowColumn::new(row, column.clone());
        let told = || debug!(start = %self.start(), %cell, "notify");
        self.open.reading().span.in_scope(told);
        let most = self.open.max_bytes();
        self.open.with_buffer(|buffer| buffer.notify(cell, most))
    }

    /// Reads that also lock what they read: this transaction commits only if nobody has written it since this one
    /// began. It closes write skew for the price of a write.
    pub fn with_read_lock(&self) -> ReadLocking<'_> {
        ReadLocking::new(self)
    }

    /// Marks a cell as read under a lock.
    pub(crate) fn lock_read(&self, cell: RowColumn) -> Result<()> {
        let most = self.open.max_bytes();
        self.open.with_buffer(|buffer| buffer.lock_read(cell, most))
    }

    fn write(&self, row: Bytes, column: &Column, write: PendingWrite) -> Result<()> {
        let cell = RowColumn::new(row, column.clone());
        self.open.reading().span.in_scope(|| match &write {
            PendingWrite::Set(value) => {
                debug!(start = %self.start(), %cell, value = %Escaped(value), "write");
            }
            _ => debug!(start = %self.start(), %cell, "delete"),
        });
        let most = self.open.max_bytes();
        self.open
            .with_buffer(|buffer| buffer.write(cell, write, most))
    }
}

impl Deref for Transaction {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.open.snapshot
    }
}

impl OwnedTransaction {
    pub(crate) fn new(open: &Arc<Open>) -> Self {
        Self {
            transaction: open.handle(),
        }
    }

    /// Commits. It is the last that can be done with a transaction; neither of these compiles:
    ///
    /// ```compile_fail,E0382
    /// # async fn commits_twice(client: fluo_core::Client) -> fluo_core::Result<()> {
    /// let tx = client.begin().await?;
    /// tx.commit().await?;
    /// tx.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```compile_fail,E0382
    /// # async fn sets_too_late(client: fluo_core::Client) -> fluo_core::Result<()> {
    /// let tx = client.begin().await?;
    /// tx.commit().await?;
    /// tx.set("alice", &fluo_core::Column::new("account", "balance"), "100")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The commit goes on when the future is dropped, and its outcome is lost then.
    ///
    /// # Errors
    /// [`CommitError`] says whether the same work may be tried again. Nothing was done, unless it is
    /// [`Uncertain`](crate::ErrorKind::Uncertain).
    pub async fn commit(self) -> Result<Committed, CommitError> {
        self.transaction.open.commit().await
    }

    pub(crate) fn open(&self) -> &Arc<Open> {
        &self.transaction.open
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
        self.transaction.open.end();
    }
}
