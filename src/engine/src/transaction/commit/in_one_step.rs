//! The commit in one step, if the table writes rows together (T16) and the coordination hands out
//! no timestamp above a commit that cannot be seen yet (C18).
//!
//! One call checks the conditions of all locks, and writes the cells that a commit with locks
//! leaves. There are no locks: a transaction that begins later begins after the commit can be seen.
//! The horizon does not pass the start meanwhile, so garbage collection has dropped nothing that
//! forbids the commit.

use fluo_table::coordination::PendingCommit;
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{Bytes, Cell, Error, ErrorKind, Outcome, Result, Timestamp};
use tracing::debug;

use crate::context::no_answer;
use crate::transaction::commit::Commit;
use crate::transaction::commit::settle::{Fate, settle};
use crate::transaction::status::TransactionStatus;
use crate::transaction::{CommitError, encode_entries};

impl Commit {
    /// Begins the commit, or returns `None` if it takes several steps.
    pub(super) async fn begin_in_one_step(&self) -> Result<Option<PendingCommit>, CommitError> {
        let client = &self.state.client;
        match client.table.together() {
            Some(_) => client.begin_commit(self.plan.start).await,
            None => Ok(None),
        }
    }

    /// Writes the commit. Each attempt has a commit timestamp of its own: as long as one attempt is
    /// pending, no transaction begins.
    pub(super) async fn in_one_step(
        self,
        mut pending: PendingCommit,
    ) -> Result<Timestamp, CommitError> {
        let mut backoff = self.state.client.backoff(self.plan.start);
        let mut is_in_doubt = false;
        let fate = loop {
            let mut committed = pending.timestamp();
            let answer = self.write_in_one_step(pending).await;
            let decide = |found, refusal| self.decide_in_one_step(found, refusal, &mut committed);
            match settle(answer, &mut is_in_doubt, self.status(), decide).await {
                Fate::Applied => return Ok(self.committed_in_one_step(committed)),
                Fate::Open(error) if !backoff.wait().await => break Fate::Open(error),
                Fate::Open(_) => {}
                fate => break fate,
            }
            let begun = self.begin_in_one_step().await;
            pending = match begun.map_err(CommitError::before_the_commit_point) {
                Ok(Some(begun)) => begun,
                Ok(None) => break Fate::Open(no_answer()),
                Err(error) => break Fate::Failed(error),
            };
        };
        if is_in_doubt && let Some(committed) = self.fence_in_one_step().await? {
            return Ok(self.committed_in_one_step(committed));
        }
        let rows: Vec<Bytes> = self.plan.rows.keys().cloned().collect();
        Err(match fate {
            Fate::Open(error) => CommitError::nothing_committed(error),
            Fate::Failed(error) => error,
            Fate::Applied | Fate::Rejected => self.primary_rejected(&rows).await,
        })
    }

    async fn write_in_one_step(&self, pending: PendingCommit) -> Outcome {
        let table = self.state.client.table.together();
        let table = table.expect("the answer of a handle does not change");
        let write = self.plan.commit_in_one_step(pending.timestamp());
        let outcome = table.write_atomically(write, Some(pending)).await;
        // The call wrote nothing.
        outcome.unwrap_or_else(Outcome::ConstraintViolation)
    }

    fn committed_in_one_step(&self, commit: Timestamp) -> Timestamp {
        debug!(%commit, "committed");
        self.state.client.listeners.offer(&self.plan.notified, commit);
        commit
    }

    /// Decides the fate of a commit that was in doubt, after a look at the primary.
    fn decide_in_one_step(
        &self,
        found: Result<TransactionStatus>,
        refusal: Option<Error>,
        committed: &mut Timestamp,
    ) -> Fate {
        match (found, refusal) {
            (Ok(TransactionStatus::Committed(at)), _) => {
                *committed = at;
                Fate::Applied
            }
            (Ok(TransactionStatus::RolledBack), _) | (Ok(TransactionStatus::Unknown), None) => {
                Fate::Rejected
            }
            (Ok(TransactionStatus::Unknown), Some(error)) if !error.kind().is_passing() => {
                Fate::Failed(self.uncertain(error))
            }
            (Ok(TransactionStatus::Unknown), Some(error)) => Fate::Open(error),
            (Ok(TransactionStatus::Locked(_)), _) => {
                let message = format!(
                    "the primary `{}` is locked by transaction {}, which writes no locks; its timestamp may have been \
                     assigned twice",
                    self.plan.primary, self.plan.start
                );
                Fate::Failed(Error::new(ErrorKind::Corrupt, message).into())
            }
            (Err(error), _) => Fate::Failed(self.uncertain(error)),
        }
    }

    /// Makes sure that a write which may still arrive never takes effect. Returns the commit
    /// timestamp if it has taken effect.
    async fn fence_in_one_step(&self) -> Result<Option<Timestamp>, CommitError> {
        if let Some(committed) = self.try_to_fence().await? {
            return Ok(Some(committed));
        }
        // A collection may have dropped what the write has left.
        match self.state.client.coordination.horizon().await {
            Ok(horizon) if horizon <= self.plan.start => Ok(None),
            Ok(_) => Err(self.uncertain(no_answer())),
            Err(error) => Err(self.uncertain(error)),
        }
    }

    async fn try_to_fence(&self) -> Result<Option<Timestamp>, CommitError> {
        let client = &self.state.client;
        let (primary, start) = (&self.plan.primary, self.plan.start);
        let is_free = self.plan.is_free(&primary.row, &primary.column, self.plan.primary_kind());
        let fence = encode_entries::roll_back_primary(primary, start, Timestamp::ZERO);
        let fence = fence.when(is_free);
        let mut backoff = client.backoff(start);
        loop {
            let answer = client.write_one(fence.clone()).await;
            let error = match (answer, self.status().await) {
                (Outcome::Accepted, _) | (_, Ok(TransactionStatus::RolledBack)) => return Ok(None),
                (_, Ok(TransactionStatus::Committed(at))) => return Ok(Some(at)),
                (Outcome::ConstraintViolation(error), _) if !error.kind().is_passing() => {
                    return Err(self.uncertain(error));
                }
                (Outcome::Rejected, Ok(_)) => match self.is_rejected_for_ever().await {
                    Ok(true) => return Ok(None),
                    Ok(false) => no_answer(),
                    Err(error) => error,
                },
                (_, Err(error)) => error,
                (Outcome::ConstraintViolation(error) | Outcome::Unknown(error), Ok(_)) => error,
            };
            if !backoff.wait().await {
                return Err(self.uncertain(error));
            }
        }
    }

    /// Checks whether an entry other than a lock, which may be rolled back, forbids the commit.
    async fn is_rejected_for_ever(&self) -> Result<bool> {
        let rows = [self.plan.primary.row.clone()];
        let found = self.entries_in_the_way(&rows).await?;
        let is_lock = |entry: &Cell| {
            let stamp = EntryTimestamp::decode(entry.key.timestamp);
            stamp.is_some_and(|stamp| matches!(stamp.kind, EntryKind::Lock | EntryKind::ReadLock))
        };
        Ok(!found.iter().all(is_lock))
    }
}
