//! The exports of a call with their mutations, and those that the table has refused.

use std::collections::BTreeSet;

use fluo_engine::{Column, Timestamp};
use fluo_table::{Mutation, Update};

use crate::export_queue::{Export, Exported};
use crate::queue::NOTIFICATION_FAMILY;

#[derive(Debug)]
pub(super) struct PlannedExport {
    /// The index among the exports of the call.
    pub(super) index: usize,
    pub(super) sequence: Timestamp,
    /// The column with the sequence of the last export of the key.
    pub(super) column: Column,
    /// The mutations. All updates have a timestamp.
    pub(super) mutations: Vec<Mutation>,
}

impl PlannedExport {
    /// Creates the plan of an export of a queue. Updates without a timestamp get the sequence.
    pub(super) fn new<K, V>(
        queue: &str,
        index: usize,
        export: &Export<K, V>,
        mut mutations: Vec<Mutation>,
    ) -> Self {
        let updates = mutations.iter_mut().flat_map(|mutation| &mut mutation.updates);
        updates.for_each(|Update { timestamp, .. }| {
            timestamp.get_or_insert(stamp(export.sequence));
        });
        let qualifier = [format!("seq:{queue}:").as_bytes(), &*export.key_bytes].concat();
        let column = Column::new(NOTIFICATION_FAMILY, qualifier);
        Self { index, sequence: export.sequence, column, mutations }
    }
}

pub(super) fn stamp(sequence: Timestamp) -> i64 {
    sequence.get().cast_signed()
}

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
    pub(super) fn reject(&mut self, index: usize, why: String) {
        self.letters.push((index, why));
    }

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

    pub(super) fn answer(mut self, exports: usize) -> Exported {
        let up_to = self.first_waiting.unwrap_or(exports);
        self.letters.retain(|(index, _)| *index < up_to);
        self.letters.sort();
        Exported::first(up_to, exports, self.letters)
    }
}
