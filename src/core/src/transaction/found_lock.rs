//! A lock that a reader or a writer came upon.

use crate::coordination::TransactorId;
use crate::data::{Bytes, Cell, RowColumn, Timestamp};
use crate::error::Result;
use crate::layout::{EntryKind, LockValue, ReadLockValue};
use crate::transaction::damage::{in_cell, stamp_of, unexpected};

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
        let stamp = stamp_of(found)?;
        match stamp.kind {
            EntryKind::Lock => Self::of_write(found, stamp.timestamp),
            EntryKind::ReadLock => Self::of_read(found, stamp.timestamp),
            _ => Err(unexpected(found)),
        }
    }

    fn of_write(found: &Cell, start: Timestamp) -> Result<Self> {
        let lock = LockValue::decode(&found.value).map_err(|error| in_cell(found, error))?;
        let kind = LockKind::Write {
            is_write: lock.is_write,
            is_delete: lock.is_delete,
            is_trigger: lock.is_trigger,
        };
        Ok(Self {
            cell: cell_of(found),
            start,
            primary: lock.primary,
            transactor: lock.transactor,
            kind,
            value: found.value.clone(),
        })
    }

    fn of_read(found: &Cell, start: Timestamp) -> Result<Self> {
        let lock = ReadLockValue::decode(&found.value).map_err(|error| in_cell(found, error))?;
        Ok(Self {
            cell: cell_of(found),
            start,
            primary: lock.primary,
            transactor: lock.transactor,
            kind: LockKind::Read,
            value: found.value.clone(),
        })
    }

    /// Whether this is the lock that decides for the others.
    pub(crate) fn is_primary(&self) -> bool {
        self.cell == self.primary
    }
}

fn cell_of(found: &Cell) -> RowColumn {
    RowColumn::new(found.key.row.clone(), found.key.column.clone())
}
