//! Why a transaction did not commit.

use std::error::Error as StdError;
use std::fmt;

use crate::coordination::TransactorId;
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, ErrorKind};

/// Another transaction was there first: it wrote one of the cells after this one began, or holds a lock on it.
///
/// Nothing of this transaction can be seen, and nothing of it will. The same work may succeed in a new one, which
/// reads anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// When the transaction that failed began.
    pub start: Timestamp,
    /// The cells on which it met another one; at least one, at most [`MOST_CELLS`](Self::MOST_CELLS).
    pub cells: Vec<RowColumn>,
    /// How many cells there were.
    pub cell_count: usize,
    /// What is known of the other transaction on one of the cells. Nothing, where it had gone by the time that
    /// it was looked for.
    pub other: Option<OtherTransaction>,
}

/// The transaction that was there first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTransaction {
    /// It began and committed at these timestamps.
    Committed {
        /// When it began.
        start: Timestamp,
        /// When it committed.
        commit: Timestamp,
    },
    /// It holds a lock, or a read lock.
    Locking {
        /// When it began.
        start: Timestamp,
        /// Who runs it.
        transactor: TransactorId,
    },
    /// It rolled this transaction back, because it took it for dead or waited for too long.
    RolledThisBack,
}

impl Conflict {
    /// Most cells that are named.
    pub const MOST_CELLS: usize = 16;
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the transaction that began at {} met another one",
            self.start
        )?;
        let mut cells = self.cells.iter();
        if let Some(first) = cells.next() {
            write!(f, " at `{first}`")?;
        }
        if self.cell_count > 1 {
            write!(f, " and {} more", self.cell_count - 1)?;
        }
        match self.other {
            None => Ok(()),
            Some(OtherTransaction::Committed { start, commit }) => {
                write!(f, ", which began at {start} and committed at {commit}")
            }
            Some(OtherTransaction::Locking { start, transactor }) => {
                write!(
                    f,
                    ", which began at {start} and holds a lock for transactor {transactor}"
                )
            }
            Some(OtherTransaction::RolledThisBack) => f.write_str(", which rolled it back"),
        }
    }
}

impl StdError for Conflict {}

/// Garbage was collected above the timestamp at which a transaction or a snapshot reads, so that what it would read
/// may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Where it reads.
    pub start: Timestamp,
    /// Below this, garbage may have been collected.
    pub horizon: Timestamp,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the snapshot at {} can no longer be read: garbage was collected up to {}; take a new one",
            self.start, self.horizon
        )
    }
}

impl StdError for Stale {}

/// Why a commit did not end in a committed transaction, as far as anybody can tell.
#[derive(Clone, Debug)]
pub enum CommitError {
    /// Another transaction was there first. Nothing was done; run it again.
    Conflict(Conflict),
    /// The notification that started it was dealt with by another one already. Nothing was done; forget it.
    Acknowledged,
    /// It had become too old to be sure of what it read. Nothing was done; run it again.
    Stale(Stale),
    /// Something else failed: the [kind](Error::kind) says what can be done. Nothing was done, unless the kind is
    /// [`Uncertain`](ErrorKind::Uncertain).
    Failed(Error),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::Acknowledged => f.write_str(
                "the notification was dealt with by another transaction; nothing was written",
            ),
            Self::Stale(stale) => stale.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl StdError for CommitError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Failed(error) => error.source(),
            Self::Conflict(_) | Self::Acknowledged | Self::Stale(_) => None,
        }
    }
}

impl From<Error> for CommitError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Stale> for Error {
    fn from(stale: Stale) -> Self {
        Self::with_source(ErrorKind::Unavailable, stale.to_string(), stale)
    }
}

impl From<CommitError> for Error {
    /// A conflict is [`Unavailable`](ErrorKind::Unavailable), with the [`Conflict`] as its source: nothing was done,
    /// and the same work may succeed later.
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(conflict) => {
                Self::with_source(ErrorKind::Unavailable, conflict.to_string(), conflict)
            }
            CommitError::Stale(stale) => stale.into(),
            CommitError::Acknowledged => {
                Self::with_source(ErrorKind::Unavailable, error.to_string(), error)
            }
            CommitError::Failed(error) => error,
        }
    }
}
