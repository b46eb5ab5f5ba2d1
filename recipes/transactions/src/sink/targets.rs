//! The rows that a batch of exports writes, with the sequences that they have.

use std::collections::BTreeMap;

use fluo_engine::{Bytes, Error, Result, RowColumn, Timestamp};
use fluo_table::{Condition, ConditionalMutation, Mutation, Outcome, Scan, Span, Table, Update};
use tracing::warn;

use super::planned_export::{PlannedExport, stamp};
use crate::telemetry::{self, LATE_EXPORTS};

/// The updates that are still to be written, by the cells that hold the sequences.
#[derive(Debug)]
pub(super) struct Targets<'a> {
    by_cell: BTreeMap<RowColumn, Target<'a>>,
}

/// The updates of a row by the exports of a key.
#[derive(Debug, Default)]
struct Target<'a> {
    /// The updates, by the sequences of their exports.
    updates: BTreeMap<Timestamp, Vec<&'a Update>>,
    /// The value of the cell when it was last read.
    stored: Option<Bytes>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(exports: &[&'a PlannedExport]) -> Self {
        let mut by_cell: BTreeMap<RowColumn, Target<'a>> = BTreeMap::new();
        for export in exports {
            for mutation in &export.mutations {
                let cell = RowColumn::new(mutation.row.clone(), export.column.clone());
                let target = by_cell.entry(cell).or_default();
                target.updates.entry(export.sequence).or_default().extend(&mutation.updates);
            }
        }
        Self { by_cell }
    }

    /// Returns the number of exports that are still to be written, in each row.
    pub(super) fn len(&self) -> usize {
        self.by_cell.values().map(|target| target.updates.len()).sum()
    }

    /// Reads the sequences of the rows, and drops the exports that are not later. Reports those of
    /// the queue that another export hides: one with a later sequence that is not among
    /// `delivered`, the exports of the call.
    pub(super) async fn read(
        &mut self,
        queue: &str,
        table: &dyn Table,
        delivered: &[PlannedExport],
    ) -> Result<()> {
        let cells = self.by_cell.keys();
        let spans = cells.map(|cell| Span::cell(cell.row.clone(), &cell.column));
        let mut newest = BTreeMap::new();
        for cell in table.read(Scan::over_all(spans)).await? {
            // If the table shows several versions of a cell, the newest comes first.
            let key = RowColumn::new(cell.key.row, cell.key.column);
            newest.entry(key).or_insert(cell.value);
        }
        let mut late = Vec::new();
        for (cell, target) in &mut self.by_cell {
            target.stored = newest.remove(cell);
            if let Some(value) = &target.stored {
                let last = sequence(cell, value)?;
                let sequences = target.updates.keys().copied();
                let dropped: Vec<Timestamp> = sequences.take_while(|one| *one <= last).collect();
                target.updates.retain(|sequence, _| *sequence > last);
                // Exports that are delivered again come with the one that hides them.
                let is_repeated = dropped.last() == Some(&last)
                    || delivered
                        .iter()
                        .any(|one| one.sequence == last && one.column == cell.column);
                if !is_repeated {
                    late.push((cell, dropped, last));
                }
            }
        }
        // A read that fails is repeated, and reports nothing.
        for (cell, dropped, last) in late {
            report_late(queue, cell, &dropped, last);
        }
        self.by_cell.retain(|_, target| !target.updates.is_empty());
        Ok(())
    }

    /// Returns a mutation of each row and key that is still to be written.
    pub(super) fn mutations(&self) -> Vec<ConditionalMutation> {
        let mutation = |(cell, target): (&RowColumn, &Target<'_>)| target.mutation(cell);
        self.by_cell.iter().filter_map(mutation).collect()
    }

    /// Drops the rows whose mutations were accepted, given the outcomes of all
    /// [`mutations`](Self::mutations).
    pub(super) fn drop_accepted(&mut self, outcomes: &[Outcome]) {
        let mut outcomes = outcomes.iter();
        self.by_cell.retain(|_, _| !outcomes.next().is_some_and(Outcome::is_accepted));
    }
}

impl Target<'_> {
    /// Returns the mutation of the row, on the condition that its sequence is still the one that
    /// was read.
    fn mutation(&self, cell: &RowColumn) -> Option<ConditionalMutation> {
        let (last, _) = self.updates.last_key_value()?;
        let mut mutation = Mutation::new(cell.row.clone());
        let updates = self.updates.values().flatten().copied();
        mutation.updates = updates.cloned().collect();
        let mutation = mutation.put_at(cell.column.clone(), stamp(*last), last.to_string());
        Some(mutation.when(match &self.stored {
            Some(stored) => Condition::value(cell.column.clone(), stored.clone()),
            None => Condition::absent(cell.column.clone()),
        }))
    }
}

fn report_late(queue: &str, cell: &RowColumn, sequences: &[Timestamp], last: Timestamp) {
    if !sequences.is_empty() {
        telemetry::count(LATE_EXPORTS, &queue, sequences.len());
    }
    for sequence in sequences {
        warn!(
            queue, %cell, %sequence, %last,
            "an export is not written, because a later one of its key was; let the transactions of a key conflict"
        );
    }
}

fn sequence(cell: &RowColumn, value: &[u8]) -> Result<Timestamp> {
    let text = std::str::from_utf8(value).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.and_then(|number| Timestamp::new(number).ok()).ok_or_else(|| {
        Error::corrupt(format!(
            "`{cell}` holds no sequence of an export; delete the cell if no queue writes to the row"
        ))
    })
}
