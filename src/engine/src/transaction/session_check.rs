//! The check of a client's session after a transaction that an ended session may have stopped.

use crate::context::Shared;
use crate::transaction::{CommitError, ConflictCause};

impl Shared {
    /// Checks the session after an error that an ended session would explain, so that the next
    /// transaction has a live one.
    pub(crate) async fn renew_session_after(&self, error: &CommitError) {
        let is_suspect = match error {
            CommitError::SnapshotTooOld(_) => true,
            CommitError::Conflict(met) => met.other == Some(ConflictCause::RolledBackByPeer),
            CommitError::Acknowledged | CommitError::Failed(_) => false,
        };
        if is_suspect {
            // If this fails, the next transaction that begins returns the error.
            drop(self.active.renew_session(self.transactor()).await);
        }
    }
}
