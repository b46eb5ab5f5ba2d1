//! The history of the queues of a run.

use std::collections::{BTreeMap, BTreeSet};

use fluo_recipes::combine_queue::Change;
use fluo_table::Timestamp;

/// Sums by key; a sum of zero is absent.
pub(super) type Sums = BTreeMap<String, i64>;

/// Everything that actors gave to the queues, and everything that the queues returned.
#[derive(Debug, Default)]
pub(super) struct QueueLog {
    /// The updates of each transaction, by its start.
    pub(super) updates: BTreeMap<Timestamp, Vec<(String, i64)>>,
    /// The sums that readers saw at their snapshots, in the order of the reads.
    pub(super) reads: Vec<(Timestamp, Sums)>,
    /// The changes that each transaction reported, committed or not, by its start.
    pub(super) changes: BTreeMap<Timestamp, Vec<Change<String, i64>>>,
    /// The parcel of each transaction, by its start.
    pub(super) sent: BTreeMap<Timestamp, (String, i64)>,
    /// The parcels of each key that the receiver applied, in their order: sequence and value.
    pub(super) received: BTreeMap<String, Vec<(Timestamp, i64)>>,
    /// The parcels that the receiver rejected at least once.
    pub(super) rejected: BTreeSet<(String, Timestamp)>,
    /// The rejected parcels that were delivered again after later ones of their keys, so that the
    /// receiver ignored them.
    pub(super) too_late: BTreeSet<(String, Timestamp)>,
}

impl QueueLog {
    /// Applies a parcel unless the receiver has one with this sequence or a later one of its key.
    pub(super) fn receive(&mut self, key: &str, sequence: Timestamp, value: i64) {
        let received = self.received.entry(key.to_owned()).or_default();
        if received.last().is_none_or(|(last, _)| *last < sequence) {
            received.push((sequence, value));
            return;
        }
        let parcel = (key.to_owned(), sequence);
        let is_repeated = received.iter().any(|(received, _)| *received == sequence);
        if !is_repeated && self.rejected.contains(&parcel) {
            self.too_late.insert(parcel);
        }
    }
}
