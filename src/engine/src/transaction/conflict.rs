//! The result of a commit, and the reasons why a transaction did not commit.

use std::error::Error as StdError;
use std::fmt;

use fluo_table::coordination::TransactorId;
use fluo_table::{Error, ErrorKind, RowColumn, Timestamp};

/// The result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommitInfo {
    /// The start timestamp: the transaction read at it.
    pub start: Timestamp,
    /// The commit timestamp: later transactions see the writes. `None` if the transaction wrote
    /// nothing.
    pub commit: Option<Timestamp>,
}

/// A conflict with another transaction, which wrote one of the cells after this one began, or holds
/// a lock on it.
///
/// No write of this transaction is or will be visible. The same work may succeed in a new
/// transaction, which reads again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The start timestamp of the transaction that failed.
    pub start: Timestamp,
    /// The cells on which the transactions conflict; at least one, at most
    /// [`MAX_CELLS`](Self::MAX_CELLS).
    pub cells: Vec<RowColumn>,
    /// The number of cells in conflict, including those that are not in `cells`.
    pub cell_count: usize,
    /// The other transaction on one of the cells, or `None` if its traces were gone when they were
    /// read.
    pub other: Option<ConflictCause>,
}

/// The other transaction of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConflictCause {
    /// It committed.
    Committed {
        /// Its start timestamp.
        start: Timestamp,
        /// Its commit timestamp.
        commit: Timestamp,
    },
    /// It holds a lock or a read lock.
    Locking {
        /// Its start timestamp.
        start: Timestamp,
        /// The transactor that runs it.
        transactor: TransactorId,
    },
    /// It rolled this transaction back, because the owner seemed dead or had taken too long.
    RolledBackByPeer,
}

impl Conflict {
    /// Maximum number of cells in [`cells`](Self::cells).
    pub const MAX_CELLS: usize = 16;
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let other = match self.other {
            Some(ConflictCause::Committed { start, .. } | ConflictCause::Locking { start, .. }) => {
                format!("transaction {start}")
            }
            None | Some(ConflictCause::RolledBackByPeer) => "another transaction".to_owned(),
        };
        write!(f, "transaction {} conflicts with {other}", self.start)?;
        if let Some(first) = self.cells.first() {
            write!(f, " on `{first}`")?;
        }
        if self.cell_count > 1 {
            write!(f, " and {} more", self.cell_count - 1)?;
        }
        match self.other {
            None => Ok(()),
            Some(ConflictCause::Committed { commit, .. }) => {
                write!(f, ", which committed at {commit}")
            }
            Some(ConflictCause::Locking { transactor, .. }) => {
                write!(f, ", which holds a lock for transactor {transactor}")
            }
            Some(ConflictCause::RolledBackByPeer) => f.write_str(", which rolled it back"),
        }
    }
}

impl StdError for Conflict {}

/// The error of a transaction or a snapshot whose timestamp is below the horizon. Garbage that it
/// needs may have been collected, so its reads could be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the snapshot at {start} is stale, because garbage below {horizon} may have been collected; take a new snapshot"
)]
#[non_exhaustive]
pub struct SnapshotTooOld {
    /// The timestamp at which it reads.
    pub start: Timestamp,
    /// The horizon: garbage below it may have been collected.
    pub horizon: Timestamp,
}

/// The reason why a commit failed, or why its outcome is unknown.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// A conflict with another transaction. Nothing was done. Run the transaction again.
    #[error(transparent)]
    Conflict(Conflict),
    /// Another transaction has already processed the notification that started this one. Nothing
    /// was done. Skip it.
    #[error("another transaction has already processed the notification; nothing was written")]
    Acknowledged,
    /// Garbage that the transaction needs may have been collected. Nothing was done. Run the
    /// transaction again.
    #[error(transparent)]
    SnapshotTooOld(SnapshotTooOld),
    /// Another error. Its [kind](Error::kind) determines the reaction. Nothing was done, unless the
    /// kind is [`Uncertain`](ErrorKind::Uncertain).
    #[error(transparent)]
    Failed(#[from] Error),
}

impl CommitError {
    /// Returns `true` if the same work may succeed in a new transaction.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::SnapshotTooOld(_))
    }

    /// Replaces `Uncertain` in an error from before the commit point: the transaction has certainly
    /// not committed.
    pub(super) fn before_the_commit_point(self) -> Self {
        match self {
            Self::Failed(error) if error.kind() == ErrorKind::Uncertain => {
                Self::nothing_committed(error)
            }
            other => other,
        }
    }

    /// Returns the error for a commit that was cancelled before its commit point.
    pub(super) fn nothing_committed(error: Error) -> Self {
        let message =
            format!("the transaction was cancelled, and none of its writes is committed: {error}");
        Self::Failed(Error::with_source(ErrorKind::Unavailable, message, error))
    }
}

impl From<SnapshotTooOld> for Error {
    fn from(stale: SnapshotTooOld) -> Self {
        Self::with_source(ErrorKind::Unavailable, stale.to_string(), stale)
    }
}

impl From<CommitError> for Error {
    /// Converts the error. A conflict becomes [`Unavailable`](ErrorKind::Unavailable) with the
    /// [`Conflict`] as its source: nothing was done, and the same work may succeed later.
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(conflict) => {
                Self::with_source(ErrorKind::Unavailable, conflict.to_string(), conflict)
            }
            CommitError::SnapshotTooOld(stale) => stale.into(),
            CommitError::Acknowledged => {
                Self::with_source(ErrorKind::Unavailable, error.to_string(), error)
            }
            CommitError::Failed(error) => error,
        }
    }
}
