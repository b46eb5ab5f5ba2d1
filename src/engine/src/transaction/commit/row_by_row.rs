//! The commit row by row: each row is locked, and later committed, by a write of its own.

use fluo_table::{Mutation, Result, Timestamp};
use tracing::{Instrument, debug};

use crate::transaction::CommitError;
use crate::transaction::commit::Commit;

impl Commit {
    pub(super) async fn row_by_row(mut self) -> Result<Timestamp, CommitError> {
        self.lock_primary().await?;
        let prepared = self.prepare().await;
        let commit = self.or_roll_back(prepared).await?;
        self.commit_primary(commit).await?;
        // No step after the commit point needs the values.
        self.plan.rows.values_mut().flatten().for_each(|cell| cell.value = None);
        let deletes_trigger = self.plan.trigger_elsewhere().is_some();
        if !self.plan.is_one_row() || deletes_trigger {
            self.background.move_to_background(commit).await;
            let rest = async move { self.roll_forward(commit).await };
            let rest = tokio::spawn(rest.in_current_span());
            if deletes_trigger {
                // Its worker forgets the notification then, and would run it again.
                let _ = rest.await;
            }
        }
        Ok(commit)
    }

    /// Takes the steps between the locking of the primary and its commit. After an error, `locked`
    /// and `doubtful` name the rows to roll back.
    async fn prepare(&mut self) -> Result<Timestamp, CommitError> {
        self.lock_others().await?;
        let commit = self.commit_timestamp().await?;
        self.notify_others(commit).await?;
        Ok(commit)
    }

    /// Writes the notifications outside of the primary's row (P5).
    async fn notify_others(&self, commit: Timestamp) -> Result<()> {
        let notifications = self.plan.other_notifications(commit);
        let client = &self.state.client;
        client.write_until_done(notifications, self.plan.start).await
    }

    /// Rolls the other rows forward, marks the primary as done, and deletes the notification that
    /// started the transaction. The transaction has committed even if this fails: a transaction
    /// that meets its locks rolls them forward.
    pub(super) async fn roll_forward(&self, commit: Timestamp) {
        if let Err(error) = self.try_to_roll_forward(commit).await {
            debug!(%error, "the locks of a committed transaction are left to the transactions that meet them");
            metrics::counter!("fluo_unfinished_commits_total").increment(1);
        }
    }

    async fn try_to_roll_forward(&self, commit: Timestamp) -> Result<()> {
        let (client, start) = (&self.state.client, self.plan.start);
        let others = self.plan.other_rows().map(|row| self.plan.commit_row(row, commit)).collect();
        client.write_until_done(others, start).await?;
        let mut last: Vec<Mutation> = self.plan.delete_trigger_elsewhere().into_iter().collect();
        if !self.plan.is_one_row() && self.is_certain() {
            last.push(self.done(Mutation::new(self.plan.primary.row.clone()), commit));
        }
        client.write_until_done(last, start).await
    }
}
