//! The garbage in a column of notifications.

use crate::layout::notification::is_deletion;

/// A collector of the garbage in a column of notifications: all entries except the newest, and the
/// newest too if it is a deletion. It processes the entries in stored order.
///
/// If entries of the column may be stored elsewhere, a deletion is dropped only together with the
/// notification that it deletes: that is, if below it notifications and deletions alternate, down
/// to a notification. Otherwise it is kept, and dropped when the whole column is processed.
#[derive(Clone, Debug)]
pub struct NotificationGarbage {
    is_full: bool,
    newest: Option<i64>,
    dropped: Vec<i64>,
    is_in_turn: bool,
    last_is_deletion: bool,
}

impl NotificationGarbage {
    /// Creates the collector at the beginning of a column. `is_full` means that no entries of the
    /// column are stored elsewhere.
    pub fn new(is_full: bool) -> Self {
        Self {
            is_full,
            newest: None,
            dropped: Vec::new(),
            is_in_turn: true,
            last_is_deletion: false,
        }
    }

    /// Processes the next entry of the column.
    pub fn look_at(&mut self, stamp: i64) {
        if self.newest.is_none() {
            self.newest = Some(stamp);
        } else {
            self.is_in_turn &= is_deletion(stamp) != self.last_is_deletion;
            self.dropped.push(stamp);
        }
        self.last_is_deletion = is_deletion(stamp);
    }

    /// Returns the timestamps of the entries that may be dropped.
    pub fn finish(mut self) -> Vec<i64> {
        let is_settled = self.is_full || (self.is_in_turn && !self.last_is_deletion);
        let newest = self.newest.filter(|stamp| is_deletion(*stamp) && is_settled);
        self.dropped.extend(newest);
        self.dropped
    }
}
