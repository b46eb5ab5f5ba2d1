//! The entries of transactions that a compaction may drop: the rules of Fluo's iterators for
//! compactions.
//!
//! Each collector handles one column. It processes all entries of it that the compaction sees, and
//! returns at the end those that may be dropped. A table drops all of them at once or none:
//! dropping only a part could reveal hidden entries.

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

/// Returns, for each entry of a column of a cell, whether a compaction keeps it. The entries are
/// given in stored order, as timestamp and value.
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

/// Returns, for each entry of a column of notifications, whether a compaction keeps it. Their
/// timestamps are given in stored order.
///
/// See [`NotificationGarbage`] for the rules.
pub fn keep_notifications(stamps: &[i64], is_full: bool) -> Vec<bool> {
    let mut garbage = NotificationGarbage::new(is_full);
    for stamp in stamps {
        garbage.look_at(*stamp);
    }
    let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
    stamps.iter().map(|stamp| !dropped.contains(stamp)).collect()
}
