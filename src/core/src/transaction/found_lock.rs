//! A lock that a reader or a writer came upon.

use crate::coordination::TransactorId;
use crate::data::{Bytes, Cell, RowColumn, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{EntryKind, EntryStamp, LockValue, ReadLockValue};

/// A lock of another transaction, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundLock {
    pub(crate) cell: RowColumn,
    /// When its transaction began.
    pub(crate) start: Timestamp,
    /// The cell whose state decides for all locks of the transaction.
    pub(crate) primary: RowColumn,
    pub(crate) transactor: TransactorId,
    pub(crate) kind: LockKind,
    /// As it is stored, to ask whether it still is.
    pub(crate) value: Bytes,
}

/// What a lock is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockKind {
    /// The cell is going to be written.
    Write {
        /// With data, or deleted. A lock that is neither only guards the cell of a notification.
        is_write: bool,
        is_delete: bool,
        /// A notification of the cell started the transaction.
        is_trigger: bool,
    },
    /// The cell was read, and is to stay as it is until the transaction has committed.
    Read,
}

impl LockKind {
    /// The entry that the lock is stored as.
    pub(crate) fn entry(self) -> EntryKind {
        match self {
            Self::Write { .. } => EntryKind::Lock,
            Self::Read => EntryKind::ReadLock,
        }
    }

    /// The entry that says that the lock is over, where it does not become a write.
    pub(crate) fn end(self) -> EntryKind {
        match self {
            Self::Write { .. } => EntryKind::DelLock,
            Self::Read => EntryKind::DelReadLock,
        }
    }
}

impl FoundLock {
    /// The lock of an entry that the table showed.
    pub(crate) fn of(found: &Cell) -> Result<Self> {
        let cell = RowColumn::new(found.key.row.clone(), found.key.column.clone());
        let stamp = EntryStamp::decode(found.key.timestamp);
        match stamp.map(|stamp| (stamp.kind, stamp.timestamp)) {
            Some((EntryKind::Lock, start)) => Self::of_write(cell, start, &found.value),
            Some((EntryKind::ReadLock, start)) => Self::of_read(cell, start, &found.value),
            _ => Err(unexpected(found)),
        }
    }

    fn of_write(cell: RowColumn, start: Timestamp, value: &Bytes) -> Result<Self> {
        let lock = LockValue::decode(value).map_err(|error| at(&cell, error))?;
        let kind = LockKind::Write {
            is_write: lock.is_write,
            is_delete: lock.is_delete,
            is_trigger: lock.is_trigger,
        };
        Ok(Self {
            cell,
            start,
            primary: lock.primary,
            transactor: lock.transactor,
            kind,
            value: value.clone(),
        })
    }

    fn of_read(cell: RowColumn, start: Timestamp, value: &Bytes) -> Result<Self> {
        let lock = ReadLockValue::decode(value).map_err(|error| at(&cell, error))?;
        Ok(Self {
            cell,
            start,
            primary: lock.primary,
            transactor: lock.transactor,
            kind: LockKind::Read,
            value: value.clone(),
        })
    }

    /// Whether this is the lock that decides for the others.
    pub(crate) fn is_primary(&self) -> bool {
        self.cell == self.primary
    }
}

/// The error for an entry that no filter lets through on a table that a transaction wrote.
pub(crate) fn unexpected(found: &Cell) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "`{}` is neither data nor a lock; was it written by a transaction?",
            found.key
        ),
    )
}

fn at(cell: &RowColumn, error: Error) -> Error {
    let message = format!("the lock of `{cell}` cannot be read: {error}");
    Error::with_source(ErrorKind::Corrupt, message, error)
}
