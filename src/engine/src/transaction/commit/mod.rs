//! The steps of a commit, in order.
//!
//! ```text
//! lock primary's row ─► lock other rows ─► timestamp ─► notifications ─► commit primary ─► rest
//!          │ conflict          │ conflict      │ stale                          │ rolled back
//!          └───────────────────┴───────────────┴─────────► roll back ◄──────────┘
//! ```
//! `row_by_row.rs` takes these steps. If the table writes rows together (T16), and no transaction
//! begins above a commit that cannot be seen yet (C18), `in_one_step.rs` commits without locks.
//!
//! - **P3.** No other row is locked before the primary's lock is certain. One call may lock another
//!   row and not the primary, and a Java client can never abort such a lock.
//! - **P4.** The commit timestamp is requested after all locks are certain. A transaction that
//!   begins after it meets the locks. A transaction that began before it does not see the locked
//!   writes.
//! - **P5.** Notifications are written before the commit of the primary, or in the same step. A
//!   notification for a transaction that never commits only runs an observer without a change. A
//!   missing notification would be lost.
//! - **P6.** The commit of the primary is the commit of the transaction: one conditional write.
//!   Before it any transaction may roll this one back, after it none.
//! - **P7.** A primary is marked as done only if no lock of the transaction can be left anywhere.
//!   An unknown outcome of a lock of another row forbids the mark.

mod commit_primary;
mod conflict_diagnosis;
mod in_one_step;
mod lock_others;
mod lock_primary;
mod plan;
mod roll_back;
mod row_by_row;
mod settle;
mod timestamp;

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::{
    Bytes, ConditionalMutation, Error, ErrorKind, Mutation, Result, RowColumn, Timestamp,
};
use tracing::{Instrument, debug, debug_span};

use crate::context::{BackgroundCommit, Shared};
use crate::transaction::buffer::WriteBuffer;
use crate::transaction::commit::plan::CommitPlan;
use crate::transaction::commit::settle::{Fate, settle};
use crate::transaction::state::State;
use crate::transaction::status::{TransactionStatus, status};
use crate::transaction::{CommitError, CommitInfo, Trigger, encode_entries};

#[derive(Debug)]
struct Commit {
    /// Held until the end: a transaction that is being committed holds back garbage collection.
    state: Arc<State>,
    plan: CommitPlan,
    background: BackgroundCommit,
    /// Rows that are certainly locked.
    locked: BTreeSet<Bytes>,
    /// Rows other than the primary's for which the outcome of a write was ever unknown, even if a
    /// later read has settled it: the write may still arrive.
    doubtful: BTreeSet<Bytes>,
    is_rolled_back: bool,
}

/// Commits the writes of a transaction in a task of its own, so a caller that stops waiting leaves
/// no locks behind.
pub(crate) async fn commit(
    state: Arc<State>,
    buffer: WriteBuffer,
) -> Result<CommitInfo, CommitError> {
    let start = state.start();
    let span = debug_span!("commit", %start);
    let work = async move {
        let (client, trigger) = (state.client.clone(), state.trigger.clone());
        let notified = buffer.notified.clone();
        let result = match CommitPlan::for_writes(&client, start, buffer, trigger.clone()) {
            Some(plan) => {
                let committed = Commit::run(state, plan).await;
                committed.map(|commit| CommitInfo { start, commit: Some(commit) })
            }
            None => only_notify(&client, start, notified, trigger).await,
        };
        count(&result);
        if let Err(error) = &result {
            client.renew_session_after(error).await;
        }
        result
    };
    let stopped = |error| {
        let message = format!(
            "outcome unknown: the commit of transaction {start} stopped before its end; check its writes"
        );
        Err(CommitError::Failed(Error::with_source(ErrorKind::Uncertain, message, error)))
    };
    tokio::spawn(work.instrument(span)).await.unwrap_or_else(stopped)
}

/// Commits a transaction that writes no cell. It needs no locks and cannot conflict.
///
/// It may still request weak observers. Their notifications are written before the one that started
/// it is deleted, as in every other commit (P5). If the commit fails between the two, some
/// notifications may be stored although it has not committed. Their observers then run without a
/// change.
async fn only_notify(
    client: &Shared,
    start: Timestamp,
    cells: BTreeSet<RowColumn>,
    trigger: Option<Trigger>,
) -> Result<CommitInfo, CommitError> {
    let mut committed = CommitInfo { start, commit: None };
    if !cells.is_empty() {
        let commit = client.commit_timestamp(start).await;
        let commit = commit.map_err(CommitError::before_the_commit_point)?;
        let notified = encode_entries::by_row(cells);
        let writes = encode_entries::notifications(&notified, commit);
        client.write_until_done(writes, start).await?;
        client.listeners.offer(&notified, commit);
        committed.commit = Some(commit);
    }
    if let Some(trigger) = trigger {
        let delete = encode_entries::delete_notifications(&trigger.cell, start);
        let deleted = client.write_until_done(vec![delete], start).await;
        // Once the notifications are written, the transaction has committed. If the deletion
        // failed, a worker finds the trigger and runs it again.
        if committed.commit.is_none() {
            deleted?;
        }
    }
    Ok(committed)
}

fn count(result: &Result<CommitInfo, CommitError>) {
    let outcome = match result {
        Ok(_) => "committed",
        Err(CommitError::Conflict(conflict)) => {
            debug!(%conflict, "conflict");
            "conflict"
        }
        Err(CommitError::Acknowledged) => "acknowledged",
        Err(CommitError::SnapshotTooOld(_)) => "stale",
        Err(CommitError::Failed(error)) => {
            debug!(%error, "failed");
            "failed"
        }
    };
    metrics::counter!("fluo_transactions_total", "outcome" => outcome).increment(1);
}

impl Commit {
    async fn run(state: Arc<State>, plan: CommitPlan) -> Result<Timestamp, CommitError> {
        let commit = Self {
            background: state.client.background.add(plan.start),
            state,
            plan,
            locked: BTreeSet::new(),
            doubtful: BTreeSet::new(),
            is_rolled_back: false,
        };
        match commit.begin_in_one_step().await.map_err(CommitError::before_the_commit_point)? {
            Some(pending) => commit.in_one_step(pending).await,
            None => commit.row_by_row().await,
        }
    }

    /// Rolls the transaction back if a step between the locks and the commit point has failed.
    async fn or_roll_back<T>(&self, step: Result<T, CommitError>) -> Result<T, CommitError> {
        if step.is_err() && !self.is_rolled_back {
            self.roll_back().await;
        }
        step.map_err(CommitError::before_the_commit_point)
    }

    /// Takes the commit timestamp (P4).
    async fn commit_timestamp(&self) -> Result<Timestamp, CommitError> {
        debug_assert!(
            self.is_locked(),
            "P4: transaction {} requests its commit timestamp while only {:?} are locked",
            self.plan.start,
            self.locked
        );
        self.state.client.commit_timestamp(self.plan.start).await
    }

    fn is_locked(&self) -> bool {
        self.plan.rows.keys().all(|row| self.locked.contains(row))
    }

    /// Adds the mark on the primary which says that the transaction has no lock left.
    fn done(&self, mutation: Mutation, at: Timestamp) -> Mutation {
        debug_assert!(
            self.is_certain(),
            "P7: transaction {} is marked as done while {:?} are in doubt",
            self.plan.start,
            self.doubtful
        );
        encode_entries::done(mutation, &self.plan.primary.column, at)
    }

    /// Checks whether the transaction has no lock except the known ones (P7).
    fn is_certain(&self) -> bool {
        self.doubtful.is_empty()
    }

    /// Repeats a conditional write of the primary until its fate is settled, or until the time is
    /// up. Also returns whether the write is in doubt: the answer to one of its copies was lost.
    pub(super) async fn settle(
        &self,
        write: &ConditionalMutation,
        decide: impl Fn(Result<TransactionStatus>, Option<Error>) -> Fate,
    ) -> (Fate, bool) {
        let mut backoff = self.state.client.backoff(self.plan.start);
        let mut is_in_doubt = false;
        loop {
            let answer = self.state.client.write_one(write.clone()).await;
            let fate = settle(answer, &mut is_in_doubt, self.status(), &decide).await;
            if !matches!(fate, Fate::Open(_)) || !backoff.wait().await {
                return (fate, is_in_doubt);
            }
        }
    }

    async fn status(&self) -> Result<TransactionStatus> {
        let (primary, start) = (&self.plan.primary, self.plan.start);
        status(&*self.state.client.table, primary, start).await
    }
}
