//! Steps of a commit that take all rows at once, where the table can write them together (T16).
//!
//! What is locked is locked with the primary, and what is committed is committed with it: no lock is left for others to
//! roll forward, and the primary is marked as done at once.

use crate::data::{Bytes, Timestamp};
use crate::planted::{self, PlantedBug};
use crate::table::{ConditionalMutation, Mutation, Outcome};
use crate::transaction::commit::Commit;
use crate::transaction::lock_primary::no_answer;
use crate::transaction::resolve::RowMutations;

impl Commit {
    /// Whether a step takes all rows at once.
    pub(crate) fn is_together(&self) -> bool {
        self.reading.client.table.together().is_some()
    }

    /// The rows that are locked with the primary, its own among them.
    pub(crate) fn rows_of_the_first_step(&self) -> Vec<Bytes> {
        match self.is_together() {
            true => self.plan.rows.keys().cloned().collect(),
            false => vec![self.plan.primary.row.clone()],
        }
    }

    /// What is written at the commit point, the primary's row first.
    pub(crate) fn at_the_commit_point(&self, commit: Timestamp) -> Vec<ConditionalMutation> {
        let mut primary = self.plan.commit_primary(commit);
        if !self.is_together() {
            return vec![primary];
        }
        if !self.plan.is_one_row() {
            primary.mutation = self.done(primary.mutation, commit);
        }
        let notifications = match planted::is(PlantedBug::NotificationsAfterCommit) {
            true => Vec::new(),
            false => self.plan.other_notifications(commit),
        };
        let others = self.roll_forward(commit).into_iter().chain(notifications);
        let others = others.chain(self.take_back_trigger_elsewhere().into_mutations());
        let unconditional = |mutation| ConditionalMutation {
            mutation,
            conditions: Vec::new(),
        };
        let others = others.map(unconditional);
        std::iter::once(primary).chain(others).collect()
    }

    /// What commits the rows beside the primary's.
    pub(crate) fn roll_forward(&self, commit: Timestamp) -> Vec<Mutation> {
        let others = self.plan.other_rows();
        others
            .map(|row| self.plan.commit_row(row, commit))
            .collect()
    }

    /// What takes back the notification that started the transaction, where that is not in the primary's row.
    pub(crate) fn take_back_trigger_elsewhere(&self) -> RowMutations {
        let mut writes = RowMutations::default();
        if let Some(trigger) = &self.plan.trigger
            && trigger.cell.row != self.plan.primary.row
        {
            writes.take_back_notification(&trigger.cell, self.plan.start);
        }
        writes
    }

    /// Writes mutations as one, or a single one; once.
    pub(crate) async fn try_as_one(&self, mutations: Vec<ConditionalMutation>) -> Outcome {
        match self.reading.client.table.together() {
            Some(table) if mutations.len() > 1 => table.write_together(mutations).await,
            _ => {
                let outcomes = self.try_to_write(mutations).await;
                let first = outcomes.into_iter().next();
                first.unwrap_or_else(|| Outcome::Refused(no_answer()))
            }
        }
    }
}
