//! Steps of a commit that take all rows at once, where the table can write them together (T16).
//!
//! What is locked is locked with the primary, and what is committed is committed with it: no lock is left for others to
//! roll forward, and the primary is marked as done at once.

use std::collections::BTreeSet;

use futures::stream::TryStreamExt;

use crate::data::{Bytes, Span, Timestamp};
use crate::error::Result;
use crate::planted::{self, PlantedBug};
use crate::table::{ConditionalMutation, Filter, Mutation, Outcome, Scan};
use crate::transaction::commit::Commit;
use crate::transaction::lock_primary::no_answer;
use crate::transaction::resolve::RowMutations;

impl Commit {
    /// The rows that are locked with the primary, its own among them.
    pub(crate) fn rows_of_the_first_step(&self) -> Vec<Bytes> {
        match self.is_together {
            true => self.plan.rows.keys().cloned().collect(),
            false => vec![self.plan.primary.row.clone()],
        }
    }

    /// Takes note that the rows of the first step are locked. If the outcome of a write of them was once unknown, that one
    /// may still be on its way, with all of them.
    pub(crate) fn note_first_step(&mut self, was_unknown: bool) {
        let rows = self.rows_of_the_first_step();
        if was_unknown {
            let others = rows.iter().filter(|row| **row != self.plan.primary.row);
            self.doubtful.extend(others.cloned());
        }
        self.locked.extend(rows);
    }

    /// The rows of the first step in which something stands in the way of a lock, after it was rejected. The table is
    /// asked through the filters of the conditions; if nothing is there any more, it is the primary's row.
    pub(crate) async fn rejected_rows(&self) -> Result<Vec<Bytes>> {
        let rows = self.rows_of_the_first_step();
        let primary = vec![self.plan.primary.row.clone()];
        if rows == primary {
            return Ok(primary);
        }
        // A filter each for cells that are written, for those that are read, and for a trigger.
        let mut asked: Vec<(Filter, Vec<Span>)> = Vec::new();
        for row in &rows {
            for condition in self.plan.lock_row(row).conditions {
                let span = Span::cell(row.clone(), &condition.column);
                match asked
                    .iter_mut()
                    .find(|(filter, _)| *filter == condition.filter)
                {
                    Some((_, spans)) => spans.push(span),
                    None => asked.push((condition.filter, vec![span])),
                }
            }
        }
        let mut rejected = BTreeSet::new();
        for (filter, spans) in asked {
            let in_the_way = Scan::over_all(spans).filter(filter);
            let mut found = self.reading.client.table.scan(in_the_way);
            while let Some(cells) = found.try_next().await? {
                rejected.extend(cells.into_iter().map(|cell| cell.key.row));
            }
        }
        Ok(match rejected.is_empty() {
            true => primary,
            false => rejected.into_iter().collect(),
        })
    }

    /// What is written at the commit point, the primary's row first.
    pub(crate) fn at_the_commit_point(&self, commit: Timestamp) -> Vec<ConditionalMutation> {
        let mut primary = self.plan.commit_primary(commit);
        if !self.is_together {
            return vec![primary];
        }
        if !self.plan.is_one_row() && self.is_certain() {
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
            Some(table) if mutations.len() > 1 => {
                let outcome = table.write_together(mutations).await;
                // Nothing of the call was written.
                outcome.unwrap_or_else(Outcome::Refused)
            }
            _ => {
                debug_assert!(
                    mutations.len() == 1,
                    "T16: the table no longer writes rows together"
                );
                let outcomes = self.try_to_write(mutations).await;
                let first = outcomes.into_iter().next();
                first.unwrap_or_else(|| Outcome::Refused(no_answer()))
            }
        }
    }
}
