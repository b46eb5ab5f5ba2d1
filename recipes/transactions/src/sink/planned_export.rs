//! An export and the mutations to write for it.

use fluo_engine::{Column, Timestamp};
use fluo_table::{Mutation, Update};

use crate::export_queue::Export;
use crate::queue::NOTIFICATION_FAMILY;

/// The mutations of an export.
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
        Self {
            index,
            sequence: export.sequence,
            column: sequence_column(queue, export.key_bytes()),
            mutations,
        }
    }
}

/// Returns the sequence as the timestamp of a cell.
pub(super) fn stamp(sequence: Timestamp) -> i64 {
    i64::try_from(sequence.get()).unwrap_or(i64::MAX)
}

/// Returns the column with the sequence of the last export of a key.
fn sequence_column(queue: &str, key: &[u8]) -> Column {
    let prefix = format!("seq:{queue}:");
    Column::new(NOTIFICATION_FAMILY, [prefix.as_bytes(), key].concat())
}
