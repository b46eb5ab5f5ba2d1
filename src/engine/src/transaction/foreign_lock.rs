//! A lock that a reader or a writer met.

use fluo_table::coordination::TransactorId;
use fluo_table::layout::{EntryKind, LockValue, ReadLockValue};
use fluo_table::{Bytes, Cell, Result, RowColumn, Timestamp};

use crate::transaction::corrupt::{cell_of, in_cell, stamp_of, unexpected};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundLock {
    pub(crate) cell: RowColumn,
    pub(crate) start: Timestamp,
    /// The cell whose state decides about all locks of the transaction.
    pub(crate) primary: RowColumn,
    pub(crate) transactor: TransactorId,
    pub(crate) kind: LockKind,
    /// The stored value, for conditions that the lock is still stored.
    pub(crate) value: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockKind {
    /// The cell is about to be written.
    Write {
        /// `true` if the cell gets a value or is deleted; `false` if the lock only guards the cell
        /// of a notification.
        is_write: bool,
        is_delete: bool,
        /// `true` if the notification of the cell started the transaction.
        is_trigger: bool,
    },
    /// The cell was read, and must not change until the transaction has committed.
    Read,
}

impl LockKind {
    pub(crate) fn entry(self) -> EntryKind {
        match self {
            Self::Write { .. } => EntryKind::Lock,
            Self::Read => EntryKind::ReadLock,
        }
    }

    /// Returns the kind of entry that ends the lock if it does not become a write.
    pub(crate) fn end(self) -> EntryKind {
        match self {
            Self::Write { .. } => EntryKind::DelLock,
            Self::Read => EntryKind::DelReadLock,
        }
    }
}

impl FoundLock {
    pub(crate) fn from_entry(found: &Cell) -> Result<Self> {
        let stamp = stamp_of(found)?;
        let damaged = |error| in_cell(found, error);
        let (primary, transactor, kind) = match stamp.kind {
            EntryKind::Lock => {
                let lock = LockValue::decode(&found.value).map_err(damaged)?;
                let LockValue { primary, transactor, is_write, is_delete, is_trigger } = lock;
                (primary, transactor, LockKind::Write { is_write, is_delete, is_trigger })
            }
            EntryKind::ReadLock => {
                let lock = ReadLockValue::decode(&found.value).map_err(damaged)?;
                (lock.primary, lock.transactor, LockKind::Read)
            }
            _ => return Err(unexpected(found)),
        };
        let (cell, start, value) = (cell_of(found), stamp.timestamp, found.value.clone());
        Ok(Self { cell, start, primary, transactor, kind, value })
    }

    pub(crate) fn is_primary(&self) -> bool {
        self.cell == self.primary
    }
}
