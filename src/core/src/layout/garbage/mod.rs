//! What a compaction may drop of the entries of transactions: the rules of Fluo's iterators for compactions.
//!
//! Each machine is for one column. It is fed all entries that the compaction sees of it, and says at the end which of
//! them may go. A table drops all of them at once or none: one without the other could bring back what is hidden.

mod cell;
#[cfg(test)]
mod history;
mod notification;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::data::Timestamp;

pub use cell::CellGarbage;
pub use notification::NotificationGarbage;

/// Which entries of a column of a cell a compaction keeps. They are given in stored order, as timestamp and value.
///
/// See [`CellGarbage`] for the rules.
pub fn keep(entries: &[(i64, &[u8])], horizon: Option<Timestamp>, is_full: bool) -> Vec<bool> {
    let mut garbage = CellGarbage::new(horizon, is_full);
    for (stamp, value) in entries {
        garbage.look_at(*stamp, value);
    }
    let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
    let is_kept = |(stamp, _): &(i64, &[u8])| !dropped.contains(stamp);
    entries.iter().map(is_kept).collect()
}

/// Which entries of a column of notifications a compaction keeps. Their timestamps are given in stored order.
///
/// See [`NotificationGarbage`] for the rules.
pub fn keep_notifications(stamps: &[i64], is_full: bool) -> Vec<bool> {
    let mut garbage = NotificationGarbage::new(is_full);
    for stamp in stamps {
        garbage.look_at(*stamp);
    }
    let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
    stamps
        .iter()
        .map(|stamp| !dropped.contains(stamp))
        .collect()
}
