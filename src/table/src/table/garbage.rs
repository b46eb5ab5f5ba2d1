//! The garbage of transactions that a compaction drops.

use crate::data::Timestamp;
use crate::layout::NOTIFICATION_FAMILY;
use crate::layout::garbage::{CellGarbage, notification_garbage};
use crate::table::Versions;

/// The garbage of transactions that a compaction drops, in addition to the entries that no scan
/// shows.
///
/// The caller of [`TableAdmin::compact`](crate::TableAdmin::compact) decides this for each call. It
/// is not a property of a table, because Accumulo's servers would then collect garbage in every
/// flush and in every compaction of a few files. Such a compaction may see the end of a lock
/// without the lock itself, and drop it, which makes the lock count again.
///
/// Rules for tables that collect garbage themselves:
/// - **G1.** A column is collected as a whole, and all of its garbage is dropped at once. If only a
///   part were dropped, a remaining entry could hide or show the wrong entries.
/// - **G2.** In a column with a delete marker, and in a table that does not show all versions, only
///   the rules of [`EntryFilter`](crate::table::EntryFilter) apply: a table of transactions has
///   neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbage {
    /// No garbage is dropped.
    Keep,
    /// Drops all entries that no snapshot at this timestamp (the horizon) or above needs.
    DropBelow(Timestamp),
}

impl Garbage {
    /// Returns the collector of the garbage in a column of this family in a table that keeps these
    /// versions, or `None` if nothing is to be collected.
    pub fn for_column(self, family: &[u8], versions: Versions) -> Option<ColumnGarbage> {
        match self {
            Self::DropBelow(horizon) if versions == Versions::All => {
                Some(if family == NOTIFICATION_FAMILY.as_bytes() {
                    ColumnGarbage::Notifications { stamps: Vec::new(), is_full: true }
                } else {
                    ColumnGarbage::Cell(CellGarbage::new(horizon, true))
                })
            }
            Self::DropBelow(_) | Self::Keep => None,
        }
    }
}

/// A collector of the garbage in a column. It must be given all entries of the column in stored
/// order.
#[derive(Clone, Debug)]
pub enum ColumnGarbage {
    /// A column of a cell.
    Cell(CellGarbage),
    /// A column of notifications.
    Notifications {
        /// The timestamps of the entries so far.
        stamps: Vec<i64>,
        /// True if no entries of the column are stored elsewhere.
        is_full: bool,
    },
}

impl ColumnGarbage {
    /// Processes the next entry of the column.
    pub fn look_at(&mut self, stamp: i64, value: &[u8]) {
        match self {
            Self::Cell(garbage) => garbage.look_at(stamp, value),
            Self::Notifications { stamps, .. } => stamps.push(stamp),
        }
    }

    /// Returns the timestamps of the entries that may be dropped.
    pub fn finish(self) -> Vec<i64> {
        match self {
            Self::Cell(garbage) => garbage.finish(),
            Self::Notifications { stamps, is_full } => notification_garbage(stamps, is_full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_garbage_only_if_the_caller_asks_for_it() {
        let horizon = Garbage::DropBelow(Timestamp::new(10).unwrap());
        for family in [&b"f"[..], b"ntfy"] {
            assert!(Garbage::Keep.for_column(family, Versions::All).is_none());
            assert!(horizon.for_column(family, Versions::default()).is_none());
        }
        let cell = horizon.for_column(b"f", Versions::All);
        assert!(matches!(cell, Some(ColumnGarbage::Cell(_))));
        let notifications = horizon.for_column(b"ntfy", Versions::All);
        assert!(matches!(notifications, Some(ColumnGarbage::Notifications { .. })));
    }
}
