//! The commit point: one conditional write of the primary's row, which includes the other rows if
//! the table writes rows together.

use fluo_table::planted::{self, PlantedBug};
use fluo_table::{Error, ErrorKind, Outcome, Timestamp};

use crate::client::is_passing;
use crate::transaction::commit::Commit;
use crate::transaction::commit::lock_primary::{no_answer, nothing_committed};
use crate::transaction::roll_back::decide;
use crate::transaction::status::{TransactionStatus, status};
use crate::transaction::{CommitError, Conflict, ConflictCause};

/// The state of the commit after a write.
enum Tried {
    Committed,
    RolledBack,
    Again(Error),
}

impl Commit {
    /// Commits the primary's row. After an error the transaction has not committed and never will,
    /// unless the kind of the error is [`Uncertain`](ErrorKind::Uncertain).
    pub(crate) async fn commit_primary(&self, commit: Timestamp) -> Result<(), CommitError> {
        debug_assert!(
            self.is_locked(),
            "P6: transaction {} commits while only {:?} are locked",
            self.plan.start,
            self.locked
        );
        let mut backoff = self.reading.client.call_backoff(self.plan.start);
        let mut is_doubtful = false;
        loop {
            match self.try_to_commit_primary(commit, &mut is_doubtful).await? {
                Tried::Committed => return Ok(()),
                Tried::RolledBack => {
                    self.roll_back_others().await;
                    return Err(self.rolled_back_by_another());
                }
                Tried::Again(error) => {
                    if !backoff.wait().await {
                        return self.abandon(commit, error).await;
                    }
                }
            }
        }
    }

    async fn try_to_commit_primary(
        &self,
        commit: Timestamp,
        is_doubtful: &mut bool,
    ) -> Result<Tried, CommitError> {
        let error = match self.try_as_one(self.at_the_commit_point(commit)).await {
            Outcome::Accepted => return Ok(Tried::Committed),
            Outcome::Rejected if !*is_doubtful => return Ok(Tried::RolledBack),
            Outcome::Rejected => None,
            Outcome::ConstraintViolation(error) if !is_passing(error.kind()) && !*is_doubtful => {
                self.roll_back().await;
                return Err(error.into());
            }
            Outcome::ConstraintViolation(error) => Some(error),
            Outcome::Unknown(_) if planted::is(PlantedBug::UnknownCommitIsCommitted) => {
                return Ok(Tried::Committed);
            }
            Outcome::Unknown(error) if planted::is(PlantedBug::UnknownCommitIsFailed) => {
                return Err(nothing_committed(error));
            }
            Outcome::Unknown(error) => {
                *is_doubtful = true;
                Some(error)
            }
        };
        if !*is_doubtful {
            return Ok(Tried::Again(error.unwrap_or_else(no_answer)));
        }
        // One of the writes may have been applied: the transaction's own commit may cause a
        // rejection.
        match status(
            &*self.reading.client.table,
            &self.plan.primary,
            self.plan.start,
        )
        .await
        {
            Ok(TransactionStatus::Committed(at)) if at == commit => Ok(Tried::Committed),
            Ok(TransactionStatus::Committed(at)) => Err(self.committed_elsewhere(commit, at)),
            Ok(TransactionStatus::RolledBack) => Ok(Tried::RolledBack),
            Ok(TransactionStatus::Locked(_)) => Ok(Tried::Again(error.unwrap_or_else(no_answer))),
            Ok(TransactionStatus::Unknown) => Err(self.uncertain(error.unwrap_or_else(no_answer))),
            Err(error) if is_passing(error.kind()) => Ok(Tried::Again(error)),
            Err(error) => Err(self.uncertain(error)),
        }
    }

    /// Settles the outcome when the time is up. The transaction is rolled back by the rule that
    /// other transactions follow, so that a commit that is still on its way is rejected.
    async fn abandon(&self, commit: Timestamp, error: Error) -> Result<(), CommitError> {
        let (primary, start) = (&self.plan.primary, self.plan.start);
        let mutation = decide(primary, start, self.plan.primary_lock());
        let outcomes = self.try_to_write(vec![mutation]).await;
        if outcomes.iter().any(Outcome::is_accepted) {
            self.roll_back_others().await;
            return Err(nothing_committed(error));
        }
        match status(&*self.reading.client.table, primary, start).await {
            Ok(TransactionStatus::Committed(at)) if at == commit => Ok(()),
            Ok(TransactionStatus::RolledBack) => {
                self.roll_back_others().await;
                Err(nothing_committed(error))
            }
            _ => Err(self.uncertain(error)),
        }
    }

    fn rolled_back_by_another(&self) -> CommitError {
        CommitError::Conflict(Conflict {
            start: self.plan.start,
            cells: vec![self.plan.primary.clone()],
            cell_count: 1,
            other: Some(ConflictCause::RolledBackByPeer),
        })
    }

    fn committed_elsewhere(&self, commit: Timestamp, at: Timestamp) -> CommitError {
        CommitError::Failed(Error::new(
            ErrorKind::Corrupt,
            format!(
                "the primary `{}` says that transaction {} committed at {at}, but it commits at {commit}; its timestamp \
                 may have been assigned twice",
                self.plan.primary, self.plan.start
            ),
        ))
    }

    fn uncertain(&self, error: Error) -> CommitError {
        let message = format!(
            "it is unknown whether transaction {} has committed: {error}",
            self.plan.start
        );
        CommitError::Failed(Error::with_source(ErrorKind::Uncertain, message, error))
    }
}
