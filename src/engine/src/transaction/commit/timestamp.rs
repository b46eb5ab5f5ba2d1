//! The commit timestamp.

use std::num::NonZeroU32;

use fluo_table::Timestamp;

use crate::context::Shared;
use crate::transaction::{CommitError, SnapshotTooOld};

impl Shared {
    /// Returns a commit timestamp for the transaction that began at `start`. Fails if garbage above
    /// its start may have been collected.
    pub(crate) async fn commit_timestamp(
        &self,
        start: Timestamp,
    ) -> Result<Timestamp, CommitError> {
        let mut backoff = self.backoff(start);
        let stamps = loop {
            match self.coordination.timestamps(NonZeroU32::MIN).await {
                Ok(stamps) => break stamps,
                Err(error) if error.kind().is_passing() && backoff.wait().await => {}
                Err(error) => return Err(error.into()),
            }
        };
        let horizon = stamps.horizon;
        if start < horizon {
            return Err(CommitError::SnapshotTooOld(SnapshotTooOld { start, horizon }));
        }
        Ok(stamps.first)
    }
}
