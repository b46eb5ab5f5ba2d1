//! The committed transactions according to the table.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::layout::{
    DelLockValue, EntryKind, EntryTimestamp, NOTIFICATION_FAMILY, NotificationTimestamp,
    WriteValue, observed_column,
};
use fluo_table::{Bytes, Change, Mutation, RowColumn, Timestamp, Update};

use super::queues::is_of_queue;

/// The decided transactions, derived from the entries of primaries at the instant at which the
/// table accepted them. So the check does not rely on any client.
#[derive(Debug, Default)]
pub(super) struct Commits {
    /// The commit timestamp of each start timestamp.
    pub(super) committed: BTreeMap<Timestamp, Timestamp>,
    pub(super) rolled_back: BTreeMap<Timestamp, ()>,
    /// The starts of transactions whose primary is in a row of a queue. The observers of the queues
    /// have no record in the history.
    pub(super) of_queues: BTreeSet<Timestamp>,
    /// The written notifications by cell, also those of transactions that never committed (P5).
    pub(super) notifications: BTreeMap<RowColumn, BTreeSet<Timestamp>>,
}

/// The decision that an update of a primary makes.
#[derive(Clone, Copy, Debug)]
enum Decision {
    Commit { start: Timestamp, commit: Timestamp },
    RollBack { start: Timestamp },
}

impl Decision {
    fn start(self) -> Timestamp {
        let (Self::Commit { start, .. } | Self::RollBack { start }) = self;
        start
    }
}

impl Commits {
    /// Records a mutation that takes effect now, and returns the rule that it breaks, if any.
    pub(super) fn note(&mut self, mutation: &Mutation) -> Option<String> {
        for (cell, at) in
            mutation.updates.iter().filter_map(|update| notification(&mutation.row, update))
        {
            self.notifications.entry(cell).or_default().insert(at);
        }
        mutation
            .updates
            .iter()
            .filter_map(decision)
            .filter_map(|it| {
                if is_of_queue(&mutation.row) {
                    self.of_queues.insert(it.start());
                }
                self.decide(it)
            })
            .next()
    }

    fn decide(&mut self, decision: Decision) -> Option<String> {
        match decision {
            Decision::Commit { start, commit } => {
                let before = self.committed.insert(start, commit);
                if self.rolled_back.contains_key(&start) {
                    return Some(format!("P6: {start} was rolled back, and commits at {commit}"));
                }
                let before = before.filter(|before| *before != commit)?;
                Some(format!("P6: {start} committed at {before}, and commits again at {commit}"))
            }
            Decision::RollBack { start } => {
                self.rolled_back.insert(start, ());
                let commit = self.committed.get(&start)?;
                Some(format!("P6: {start} committed at {commit}, and is rolled back"))
            }
        }
    }
}

fn notification(row: &Bytes, update: &Update) -> Option<(RowColumn, Timestamp)> {
    let is_one = update.column.family == NOTIFICATION_FAMILY;
    let column = is_one.then(|| observed_column(&update.column).ok()).flatten()?;
    let stamp = NotificationTimestamp::decode(update.timestamp?)?;
    (!stamp.is_delete).then(|| (RowColumn::new(row.clone(), column), stamp.timestamp))
}

fn decision(update: &Update) -> Option<Decision> {
    let stamp = EntryTimestamp::decode(update.timestamp?)?;
    let Change::Put(value) = &update.change else { return None };
    match stamp.kind {
        EntryKind::Write => {
            let write = WriteValue::decode(value).ok().filter(|write| write.is_primary)?;
            Some(Decision::Commit { start: write.start, commit: stamp.timestamp })
        }
        EntryKind::DelLock => {
            let ended = DelLockValue::decode(value).ok().filter(|ended| ended.is_primary)?;
            let start = stamp.timestamp;
            Some(match ended.is_rolled_back {
                false => Decision::Commit { start, commit: ended.done },
                true => Decision::RollBack { start },
            })
        }
        _ => None,
    }
}
