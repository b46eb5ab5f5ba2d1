//! The timestamps of a commit.

use fluo_table::Timestamp;

/// The result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// The start timestamp: the transaction read at it.
    pub start: Timestamp,
    /// The commit timestamp: later transactions see the writes. `None` if the transaction wrote
    /// nothing.
    pub commit: Option<Timestamp>,
}
