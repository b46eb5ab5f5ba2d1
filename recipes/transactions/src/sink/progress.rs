//! The exports of a call that the table has refused, and those that wait for them.

use std::collections::BTreeSet;

use fluo_engine::Column;

use super::planned_export::PlannedExport;
use crate::export_queue::Exported;

/// The refused exports of a call.
///
/// If a later export of a refused one's key were written, and the same exports were delivered
/// again, then the sequence in the row would hide the refused one, and it would be lost. So later
/// exports of its key wait until it is a dead letter.
#[derive(Debug, Default)]
pub(super) struct Progress {
    letters: Vec<(usize, String)>,
    refused_keys: BTreeSet<Column>,
    first_waiting: Option<usize>,
}

impl Progress {
    /// Rejects an export that has not been planned.
    pub(super) fn reject(&mut self, index: usize, why: String) {
        self.letters.push((index, why));
    }

    /// Rejects an export that the table has refused.
    pub(super) fn refuse(&mut self, export: &PlannedExport, why: String) {
        self.reject(export.index, why);
        self.refused_keys.insert(export.column.clone());
    }

    /// Removes the exports that have to wait from a batch.
    pub(super) fn remove_waiting(&mut self, batch: &mut Vec<&PlannedExport>) {
        let waiting = batch
            .extract_if(.., |export| self.refused_keys.contains(&export.column))
            .map(|export| export.index);
        self.first_waiting = waiting.chain(self.first_waiting).min();
    }

    /// Returns the answer about a number of exports.
    pub(super) fn answer(mut self, exports: usize) -> Exported {
        let up_to = self.first_waiting.unwrap_or(exports);
        self.letters.retain(|(index, _)| *index < up_to);
        self.letters.sort();
        Exported::first(up_to, exports, self.letters)
    }
}
