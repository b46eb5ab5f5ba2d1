//! The commit point: one conditional write of the primary's row.

use std::collections::BTreeSet;

use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tracing::debug;

use crate::context::no_answer;
use crate::transaction::commit::Commit;
use crate::transaction::commit::settle::Fate;
use crate::transaction::roll_back::decide;
use crate::transaction::status::TransactionStatus;
use crate::transaction::{CommitError, ConflictCause};

impl Commit {
    /// Commits the transaction by one write of the primary's row. After an error the transaction
    /// has not committed and never will, unless the kind of the error is
    /// [`Uncertain`](ErrorKind::Uncertain).
    pub(super) async fn commit_primary(&self, commit: Timestamp) -> Result<(), CommitError> {
        debug_assert!(
            self.is_locked(),
            "P6: transaction {} commits while only {:?} are locked",
            self.plan.start,
            self.locked
        );
        let decide = |found, refusal| self.decide_commit(commit, found, refusal);
        let write = self.plan.commit_primary(commit);
        let (fate, is_in_doubt) = self.settle(&write, decide).await;
        match fate {
            Fate::Applied => {}
            Fate::Rejected => {
                self.roll_back_others(|_| true).await;
                let met = BTreeSet::from([self.plan.primary.clone()]);
                let conflict = self.conflict_at(met, Some(ConflictCause::RolledBackByPeer));
                return Err(CommitError::Conflict(conflict));
            }
            Fate::Open(error) => self.abandon(commit, error).await?,
            Fate::Failed(error) => {
                if !is_in_doubt {
                    self.roll_back().await;
                }
                return Err(error);
            }
        }
        debug!(%commit, "committed");
        self.state.client.listeners.offer(&self.plan.notified, commit);
        Ok(())
    }

    /// Decides the fate of a commit that was in doubt, after a look at the primary.
    fn decide_commit(
        &self,
        commit: Timestamp,
        found: Result<TransactionStatus>,
        refusal: Option<Error>,
    ) -> Fate {
        let error = refusal.unwrap_or_else(no_answer);
        match found {
            Ok(TransactionStatus::Committed(at)) if at == commit => Fate::Applied,
            Ok(TransactionStatus::Committed(at)) => {
                let message = format!(
                    "primary `{}`: transaction {} committed at {at}, not at {commit}; its timestamp may have been \
                     assigned twice",
                    self.plan.primary, self.plan.start
                );
                Fate::Failed(Error::new(ErrorKind::Corrupt, message).into())
            }
            Ok(TransactionStatus::RolledBack) => Fate::Rejected,
            Ok(TransactionStatus::Locked(_)) => Fate::Open(error),
            Ok(TransactionStatus::Unknown) => Fate::Failed(self.uncertain(error)),
            Err(error) => Fate::Failed(self.uncertain(error)),
        }
    }

    /// Settles the outcome when the time is up. The transaction is rolled back by the rule that
    /// other transactions follow, so that a commit that is still on its way is rejected.
    async fn abandon(&self, commit: Timestamp, error: Error) -> Result<(), CommitError> {
        let mutation = decide(&self.plan.primary, self.plan.start, self.plan.primary_lock());
        let found = if self.state.client.write_one(mutation).await.is_accepted() {
            Ok(TransactionStatus::RolledBack)
        } else {
            self.status().await
        };
        match found {
            Ok(TransactionStatus::Committed(at)) if at == commit => Ok(()),
            Ok(TransactionStatus::RolledBack) => {
                self.roll_back_others(|_| true).await;
                Err(CommitError::nothing_committed(error))
            }
            _ => Err(self.uncertain(error)),
        }
    }

    pub(super) fn uncertain(&self, error: Error) -> CommitError {
        let message =
            format!("it is unknown whether transaction {} has committed: {error}", self.plan.start);
        CommitError::Failed(Error::with_source(ErrorKind::Uncertain, message, error))
    }
}
