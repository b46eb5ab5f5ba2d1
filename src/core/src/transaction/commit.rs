//! The steps of a commit, in their order.
//!
//! ```text
//! lock the primary's row ─► lock the other rows ─► commit timestamp ─► notifications ─► commit the primary ─► the rest
//!          │ conflict                │ conflict               │ stale                        │ rolled back
//!          └────────────────────────►└──────────────► roll back ◄──────────────────────────────┘
//! ```
//! Where the table writes rows together (T16), each step takes all rows: one call locks them, and one commits them, rolls
//! them forward and says that the transaction is done.
//!
//! - **P3.** No other row is locked before the primary's: together with it, or when it is known to be.
//! - **P4.** The commit timestamp is asked for after all locks are known to be there: who begins later than it meets
//!   them, and who began before it does not see what they guard.
//! - **P5.** Notifications stand before the primary commits, or come with it in the same step. One for a transaction
//!   that never commits is in vain, one that is missing would be lost.
//! - **P6.** The commit of the primary is the commit of the transaction: one conditional write. Before it everybody may
//!   roll the transaction back, after it nobody.
//! - **P7.** A primary is marked as done only when no lock of the transaction can be left anywhere. An unknown outcome
//!   of a lock of another row forbids it, however that row was locked.

use std::collections::BTreeSet;
use std::sync::Arc;

use tracing::{Instrument, debug, debug_span};

use crate::coordination::ObserverKind;
use crate::data::{Bytes, Timestamp};
use crate::error::{Error, Result};
use crate::planted::{self, PlantedBug};
use crate::table::{ConditionalMutation, Mutation, Outcome};
use crate::transaction::buffer::WriteBuffer;
use crate::transaction::entries;
use crate::transaction::lock_primary::before_the_commit_point;
use crate::transaction::only_notify::only_notify;
use crate::transaction::plan::{CommitPlan, Trigger};
use crate::transaction::reading::Reading;
use crate::transaction::{CommitError, Committed};

/// A commit under way.
#[derive(Debug)]
pub(crate) struct Commit {
    /// Whether a step takes all rows at once (T16).
    pub(crate) is_together: bool,
    /// Held until the end: a transaction that is being committed holds back garbage collection.
    pub(crate) reading: Arc<Reading>,
    pub(crate) plan: CommitPlan,
    /// Rows whose locks are known to be there.
    pub(crate) locked: BTreeSet<Bytes>,
    /// Rows beside the primary's of which the outcome of a write was unknown, whatever was found out since: a write of
    /// them may still be on its way.
    pub(crate) doubtful: BTreeSet<Bytes>,
}

/// Commits what a transaction wrote.
///
/// The steps run in a task of their own: a caller who stops waiting leaves no locks behind.
pub(crate) async fn commit(
    reading: Arc<Reading>,
    buffer: WriteBuffer,
    trigger: Option<Trigger>,
) -> Result<Committed, CommitError> {
    let start = reading.start();
    let span = debug_span!("commit", %start);
    let work = async move {
        let client = reading.client.clone();
        let notified = buffer.notified.clone();
        let result = match CommitPlan::of(&client, start, buffer, trigger.clone()) {
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
            format!("the commit of the transaction that began at {start} was cut off"),
            error,
        ))),
    }
}

fn count(result: &Result<Committed, CommitError>) {
    let outcome = match result {
        Ok(_) => "committed",
        Err(CommitError::Conflict(conflict)) => {
            debug!(%conflict, "conflict");
            "conflict"
        }
        Err(CommitError::Acknowledged) => "acknowledged",
        Err(CommitError::Stale(_)) => "stale",
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

    async fn run(mut self) -> Result<Committed, CommitError> {
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
            .tell(&self.plan.notified, commit);
        if !self.is_together {
            self.finish(commit).await;
        }
        Ok(Committed {
            start: self.plan.start,
            commit: Some(commit),
        })
    }

    /// The commit timestamp (P4), with the notifications at it written (P5).
    async fn stamp_and_notify(&self) -> Result<Timestamp, CommitError> {
        debug_assert!(
            self.is_locked() || planted::is(PlantedBug::TimestampBeforeLocks),
            "P4: the commit timestamp of the transaction that began at {} is asked for while only {:?} are locked",
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
        client.write_surely(notifications, self.plan.start).await
    }

    /// Rolls the other rows forward, marks the primary as done, and takes back the notification that started it, where
    /// these did not come with the commit. The transaction has committed whatever comes of this: who meets its locks
    /// rolls them forward.
    async fn finish(&self, commit: Timestamp) {
        if let Err(error) = self.try_to_finish(commit).await {
            debug!(%error, "the locks of a committed transaction are left to whoever meets them");
            metrics::counter!("fluo_unfinished_commits_total").increment(1);
        }
    }

    async fn try_to_finish(&self, commit: Timestamp) -> Result<()> {
        let (start, primary) = (self.plan.start, &self.plan.primary);
        let client = &self.reading.client;
        client
            .write_surely(self.roll_forward(commit), start)
            .await?;
        let mut last = self.take_back_trigger_elsewhere();
        if !self.plan.is_one_row() && self.is_certain() {
            last.add(&primary.row, |mutation| self.done(mutation, commit));
        }
        client.write_surely(last.into_mutations(), start).await
    }

    /// Whether every lock is known to be there.
    pub(crate) fn is_locked(&self) -> bool {
        self.plan.rows.keys().all(|row| self.locked.contains(row))
    }

    /// Adds the mark on the primary that no lock of the transaction is left.
    pub(crate) fn done(&self, mutation: Mutation, at: Timestamp) -> Mutation {
        debug_assert!(
            self.is_certain(),
            "P7: the transaction that began at {} is marked as done while {:?} are in doubt",
            self.plan.start,
            self.doubtful
        );
        entries::done(mutation, &self.plan.primary.column, at)
    }

    /// Whether no lock can be anywhere but where it is known to be (P7).
    pub(crate) fn is_certain(&self) -> bool {
        self.doubtful.is_empty() || planted::is(PlantedBug::DoubtIgnored)
    }

    /// Writes some conditional mutations once; an outcome for each.
    pub(crate) async fn try_to_write(&self, mutations: Vec<ConditionalMutation>) -> Vec<Outcome> {
        let count = mutations.len();
        match self.reading.client.table.write_conditional(mutations).await {
            Ok(outcomes) => outcomes,
            // Nothing of the call was written.
            Err(error) => vec![Outcome::Refused(error); count],
        }
    }

    /// Whether a trigger's notification is one that is dealt with.
    pub(crate) fn strong_trigger(&self) -> Option<&Trigger> {
        let trigger = self.plan.trigger.as_ref();
        trigger.filter(|trigger| trigger.kind == ObserverKind::Strong)
    }
}
