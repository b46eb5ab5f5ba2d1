//! Steps of a commit that write all rows at once, if the table supports this (T16).
//!
//! All locks are written with the primary's lock, and all commits with the primary's commit. So no
//! lock is left for other transactions to roll forward, and the primary is marked as done at once.

use std::collections::BTreeSet;

use fluo_table::planted::{self, PlantedBug};
use fluo_table::{
    Bytes, ConditionalMutation, Filter, Mutation, Outcome, Result, Scan, Span, Timestamp,
};
use futures::stream::TryStreamExt;

use crate::transaction::commit::Commit;
use crate::transaction::commit::lock_primary::no_answer;
use crate::transaction::resolve::RowMutations;

impl Commit {
    /// Returns the rows that are locked with the primary, including its own.
    pub(crate) fn rows_of_the_first_step(&self) -> Vec<Bytes> {
        match self.is_together {
            true => self.plan.rows.keys().cloned().collect(),
            false => vec![self.plan.primary.row.clone()],
        }
    }

    /// Records that the rows of the first step are locked. If the outcome of a write of them was
    /// ever unknown, that write may still arrive and lock all of them.
    pub(crate) fn note_first_step(&mut self, was_unknown: bool) {
        let rows = self.rows_of_the_first_step();
        if was_unknown {
            let others = rows.iter().filter(|row| **row != self.plan.primary.row);
            self.doubtful.extend(others.cloned());
        }
        self.locked.extend(rows);
    }

    /// Returns the rows of the first step in which an entry forbids a lock, after the step was
    /// rejected. It reads the table through the filters of the conditions. If no such entry is
    /// left, the result is the primary's row.
    pub(crate) async fn rejected_rows(&self) -> Result<Vec<Bytes>> {
        let rows = self.rows_of_the_first_step();
        let primary = vec![self.plan.primary.row.clone()];
        if rows == primary {
            return Ok(primary);
        }
        // One filter each for written cells, for read cells, and for a trigger.
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

    /// Returns the mutations of the commit point, the primary's row first.
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
        let others = others.chain(self.delete_trigger_elsewhere().into_mutations());
        let unconditional = |mutation| ConditionalMutation {
            mutation,
            conditions: Vec::new(),
        };
        let others = others.map(unconditional);
        std::iter::once(primary).chain(others).collect()
    }

    /// Returns the mutations that commit the rows other than the primary's.
    pub(crate) fn roll_forward(&self, commit: Timestamp) -> Vec<Mutation> {
        let others = self.plan.other_rows();
        others
            .map(|row| self.plan.commit_row(row, commit))
            .collect()
    }

    /// Returns the deletion of the notification that started the transaction, if that is not in the
    /// primary's row.
    pub(crate) fn delete_trigger_elsewhere(&self) -> RowMutations {
        let mut writes = RowMutations::default();
        if let Some(trigger) = &self.plan.trigger
            && trigger.cell.row != self.plan.primary.row
        {
            writes.delete_notifications(&trigger.cell, self.plan.start);
        }
        writes
    }

    /// Writes the mutations once: together, or as a single conditional write if there is only one.
    pub(crate) async fn try_as_one(&self, mutations: Vec<ConditionalMutation>) -> Outcome {
        match self.reading.client.table.together() {
            Some(table) if mutations.len() > 1 => {
                let outcome = table.write_atomically(mutations).await;
                // The call wrote nothing.
                outcome.unwrap_or_else(Outcome::ConstraintViolation)
            }
            _ => {
                debug_assert!(
                    mutations.len() == 1,
                    "T16: the table no longer writes rows together"
                );
                let outcomes = self.try_to_write(mutations).await;
                let first = outcomes.into_iter().next();
                first.unwrap_or_else(|| Outcome::ConstraintViolation(no_answer()))
            }
        }
    }
}
