//! The commit of all rows at once, if the table can write several rows together (T16).
//!
//! All locks are written with the primary's lock, and all commits with the primary's commit. So no
//! lock is left for other transactions to roll forward, and the primary is marked as done at once.

use fluo_table::{Bytes, ConditionalMutation, Timestamp};

use crate::transaction::CommitError;
use crate::transaction::commit::Commit;

impl Commit {
    pub(super) async fn all_at_once(mut self) -> Result<Timestamp, CommitError> {
        let rows: Vec<Bytes> = self.plan.rows.keys().cloned().collect();
        self.lock_primary(&rows).await?;
        let commit = self.commit_timestamp().await;
        let commit = self.or_roll_back(commit).await?;
        self.commit_primary(commit, self.commit_all(commit)).await?;
        Ok(commit)
    }

    fn commit_all(&self, commit: Timestamp) -> Vec<ConditionalMutation> {
        let mut primary = self.plan.commit_primary(commit);
        if !self.plan.is_one_row() && self.is_certain() {
            primary.mutation = self.done(primary.mutation, commit);
        }
        let others = self.plan.commit_other_rows(commit).into_iter();
        let others = others
            .chain(self.plan.other_notifications(commit))
            .chain(self.plan.delete_trigger_elsewhere());
        let unconditional = |mutation| ConditionalMutation { mutation, conditions: Vec::new() };
        std::iter::once(primary).chain(others.map(unconditional)).collect()
    }
}
