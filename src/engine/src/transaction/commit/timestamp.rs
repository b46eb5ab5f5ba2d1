//! The commit timestamp.

use std::num::NonZeroU32;

use fluo_table::coordination::PendingCommit;
use fluo_table::{Result, Timestamp};

use crate::context::Shared;
use crate::transaction::{CommitError, SnapshotTooOld};

impl Shared {
    /// Returns a commit timestamp for the transaction that began at `start`. Fails if garbage above
    /// its start may have been collected.
    pub(crate) async fn commit_timestamp(
        &self,
        start: Timestamp,
    ) -> Result<Timestamp, CommitError> {
        let ask = || self.coordination.timestamps(NonZeroU32::MIN);
        let stamps = self.ask_until_answered(start, ask).await?;
        check_horizon(start, stamps.horizon)?;
        Ok(stamps.first)
    }

    /// Begins the commit in one step of the transaction that began at `start`, or returns `None` if
    /// the coordination does not support that (C18). Fails if garbage above its start may have been
    /// collected.
    pub(crate) async fn begin_commit(
        &self,
        start: Timestamp,
    ) -> Result<Option<PendingCommit>, CommitError> {
        let ask = || self.coordination.begin_commit(start);
        let pending = self.ask_until_answered(start, ask).await?;
        pending.as_ref().map_or(Ok(()), |pending| check_horizon(start, pending.horizon()))?;
        Ok(pending)
    }

    async fn ask_until_answered<T, F: Future<Output = Result<T>>>(
        &self,
        start: Timestamp,
        ask: impl Fn() -> F,
    ) -> Result<T, CommitError> {
        let mut backoff = self.backoff(start);
        loop {
            match ask().await {
                Err(error) if error.kind().is_passing() && backoff.wait().await => {}
                answer => return Ok(answer?),
            }
        }
    }
}

fn check_horizon(start: Timestamp, horizon: Timestamp) -> Result<(), CommitError> {
    if start < horizon {
        return Err(CommitError::SnapshotTooOld(SnapshotTooOld { start, horizon }));
    }
    Ok(())
}
