//! The steps of a commit, in order.
//!
//! ```text
//! lock primary's row ─► lock other rows ─► timestamp ─► notifications ─► commit primary ─► rest
//!          │ conflict          │ conflict      │ stale                          │ rolled back
//!          └───────────────────┴───────────────┴─────────► roll back ◄──────────┘
//! ```
//! If the table writes rows together (T16), each step takes all rows: one call locks them, and one
//! call commits them, rolls them forward and marks the transaction as done.
//!
//! - **P3.** No other row is locked before the primary's row: it is locked in the same call, or
//!   after the primary's lock is certain.
//! - **P4.** The commit timestamp is requested after all locks are certain. A transaction that
//!   begins after it meets the locks. A transaction that began before it does not see the locked
//!   writes.
//! - **P5.** Notifications are written before the commit of the primary, or in the same step. A
//!   notification for a transaction that never commits only runs an observer without a change. A
//!   missing notification would be lost.
//! - **P6.** The commit of the primary is the commit of the transaction: one conditional write.
//!   Before it any transaction may roll this one back, after it none.
//! - **P7.** A primary is marked as done only if no lock of the transaction can be left anywhere.
//!   An unknown outcome of a lock of another row forbids the mark, however that row was locked.

mod all_at_once;
mod commit_primary;
mod conflict_diagnosis;
mod lock_others;
mod lock_primary;
mod only_notify;
mod plan;
mod timestamp;

pub(crate) use plan::Trigger;

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::coordination::ObserverKind;
use fluo_table::planted::{self, PlantedBug};
use fluo_table::{Bytes, ConditionalMutation, Error, Mutation, Outcome, Result, Timestamp};
use tracing::{Instrument, debug, debug_span};

use crate::transaction::buffer::WriteBuffer;
use crate::transaction::commit::only_notify::only_notify;
use crate::transaction::encode_entries;
use crate::transaction::commit::lock_primary::before_the_commit_point;
use crate::transaction::commit::plan::CommitPlan;
use crate::transaction::read::Reading;
use crate::transaction::{CommitError, CommitInfo};

/// A commit in progress.
#[derive(Debug)]
pub(crate) struct Commit {
    /// `true` if a step takes all rows at once (T16).
    pub(crate) is_together: bool,
    /// Held until the end: a transaction that is being committed holds back garbage collection.
    pub(crate) reading: Arc<Reading>,
    pub(crate) plan: CommitPlan,
    /// Rows that are certainly locked.
    pub(crate) locked: BTreeSet<Bytes>,
    /// Rows other than the primary's for which the outcome of a write was ever unknown, even if a
    /// later read has settled it: the write may still arrive.
    pub(crate) doubtful: BTreeSet<Bytes>,
}

/// Commits the writes of a transaction.
///
/// The steps run in their own task, so a caller that stops waiting leaves no locks behind.
pub(crate) async fn commit(
    reading: Arc<Reading>,
    buffer: WriteBuffer,
    trigger: Option<Trigger>,
) -> Result<CommitInfo, CommitError> {
    let start = reading.start();
    let span = debug_span!("commit", %start);
    let work = async move {
        let client = reading.client.clone();
        let notified = buffer.notified.clone();
        let result = match CommitPlan::for_writes(&client, start, buffer, trigger.clone()) {
            Some(plan) => Commit::new(reading, plan).run().await,
            None => only_notify(&client, start, notified, trigger).await,
        };
        count(&result);
        if let Err(error) = &result {
            client.renew_session_after(error).await;
        }
        result
    };
    match tokio::spawn(work.instrument(span)).await {
        Ok(result) => result,
        Err(error) => Err(CommitError::Failed(Error::with_source(
            crate::ErrorKind::Uncertain,
            format!(
                "the commit of transaction {start} stopped before its end, and its outcome is unknown; check its writes \
                 before you repeat them"
            ),
            error,
        ))),
    }
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
    fn new(reading: Arc<Reading>, plan: CommitPlan) -> Self {
        Self {
            is_together: reading.client.table.together().is_some(),
            reading,
            plan,
            locked: BTreeSet::new(),
            doubtful: BTreeSet::new(),
        }
    }

    async fn run(mut self) -> Result<CommitInfo, CommitError> {
        let early = match planted::is(PlantedBug::TimestampBeforeLocks) {
            true => Some(self.stamp_and_notify().await),
            false => None,
        };
        self.lock_primary().await.map_err(before_the_commit_point)?;
        if let Err(error) = self.lock_others().await {
            self.roll_back().await;
            return Err(before_the_commit_point(error));
        }
        let stamped = match early {
            Some(stamped) => stamped,
            None => self.stamp_and_notify().await,
        };
        let commit = match stamped {
            Ok(commit) => commit,
            Err(error) => {
                self.roll_back().await;
                return Err(before_the_commit_point(error));
            }
        };
        if planted::is(PlantedBug::PrimaryLast) {
            self.finish(commit).await;
        }
        self.commit_primary(commit).await?;
        debug!(%commit, "committed");
        if planted::is(PlantedBug::NotificationsAfterCommit) {
            self.notify_others(commit).await?;
        }
        self.reading
            .client
            .listeners
            .offer(&self.plan.notified, commit);
        if !self.is_together {
            self.finish(commit).await;
        }
        Ok(CommitInfo {
            start: self.plan.start,
            commit: Some(commit),
        })
    }

    /// Takes the commit timestamp (P4) and writes the notifications at it (P5).
    async fn stamp_and_notify(&self) -> Result<Timestamp, CommitError> {
        debug_assert!(
            self.is_locked() || planted::is(PlantedBug::TimestampBeforeLocks),
            "P4: transaction {} requests its commit timestamp while only {:?} are locked",
            self.plan.start,
            self.locked
        );
        let client = &self.reading.client;
        let commit = client.commit_timestamp(self.plan.start).await?;
        if !self.is_together && !planted::is(PlantedBug::NotificationsAfterCommit) {
            self.notify_others(commit).await?;
        }
        Ok(commit)
    }

    async fn notify_others(&self, commit: Timestamp) -> Result<()> {
        let notifications = self.plan.other_notifications(commit);
        let client = &self.reading.client;
        client
            .write_until_done(notifications, self.plan.start)
            .await
    }

    /// Rolls the other rows forward, marks the primary as done, and deletes the notification that
    /// started the transaction, unless the commit included these writes. The transaction has
    /// committed even if this fails: a transaction that meets its locks rolls them forward.
    async fn finish(&self, commit: Timestamp) {
        if let Err(error) = self.try_to_finish(commit).await {
            debug!(%error, "the locks of a committed transaction are left to the transactions that meet them");
            metrics::counter!("fluo_unfinished_commits_total").increment(1);
        }
    }

    async fn try_to_finish(&self, commit: Timestamp) -> Result<()> {
        let (start, primary) = (self.plan.start, &self.plan.primary);
        let client = &self.reading.client;
        client
            .write_until_done(self.roll_forward(commit), start)
            .await?;
        let mut last = self.delete_trigger_elsewhere();
        if !self.plan.is_one_row() && self.is_certain() {
            last.add(&primary.row, |mutation| self.done(mutation, commit));
        }
        client.write_until_done(last.into_mutations(), start).await
    }

    /// Checks whether every lock is certain.
    pub(crate) fn is_locked(&self) -> bool {
        self.plan.rows.keys().all(|row| self.locked.contains(row))
    }

    /// Adds the mark on the primary which says that the transaction has no lock left.
    pub(crate) fn done(&self, mutation: Mutation, at: Timestamp) -> Mutation {
        debug_assert!(
            self.is_certain(),
            "P7: transaction {} is marked as done while {:?} are in doubt",
            self.plan.start,
            self.doubtful
        );
        encode_entries::done(mutation, &self.plan.primary.column, at)
    }

    /// Checks whether the transaction has no lock except the known ones (P7).
    pub(crate) fn is_certain(&self) -> bool {
        self.doubtful.is_empty() || planted::is(PlantedBug::DoubtIgnored)
    }

    /// Writes some conditional mutations once, and returns an outcome for each.
    pub(crate) async fn try_to_write(&self, mutations: Vec<ConditionalMutation>) -> Vec<Outcome> {
        let count = mutations.len();
        match self.reading.client.table.write_conditional(mutations).await {
            Ok(outcomes) => outcomes,
            // The call wrote nothing.
            Err(error) => vec![Outcome::ConstraintViolation(error); count],
        }
    }

    /// Returns the trigger if its notification is strong.
    pub(crate) fn strong_trigger(&self) -> Option<&Trigger> {
        let trigger = self.plan.trigger.as_ref();
        trigger.filter(|trigger| trigger.kind == ObserverKind::Strong)
    }
}
