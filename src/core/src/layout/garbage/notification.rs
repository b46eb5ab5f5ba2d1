//! What of a column of notifications nobody can need any more.

use crate::layout::notification::is_deletion;

/// Finds what may be dropped of a column of notifications: all but the newest entry, and that one too if it takes
/// notifications away. It is fed the entries in stored order.
///
/// Where entries may stand elsewhere, a deletion is dropped only with what it took away: if below it settings and
/// deletions follow one another in turn, down to a setting. Else it is kept, and goes when the whole column is looked
/// at.
#[derive(Clone, Debug)]
pub struct NotificationGarbage {
    is_full: bool,
    newest: Option<i64>,
    dropped: Vec<i64>,
    is_in_turn: bool,
    last_is_deletion: bool,
}

impl NotificationGarbage {
    /// At the beginning of a column. `is_full` says that no entries of the column stand elsewhere.
    pub fn new(is_full: bool) -> Self {
        Self {
            is_full,
            newest: None,
            dropped: Vec::new(),
            is_in_turn: true,
            last_is_deletion: false,
        }
    }

    /// Takes the next entry of the column.
    pub fn look_at(&mut self, stamp: i64) {
        if self.newest.is_none() {
            self.newest = Some(stamp);
        } else {
            self.is_in_turn &= is_deletion(stamp) != self.last_is_deletion;
            self.dropped.push(stamp);
        }
        self.last_is_deletion = is_deletion(stamp);
    }

    /// The timestamps of the entries that may be dropped.
    pub fn finish(mut self) -> Vec<i64> {
        let is_settled = self.is_full || (self.is_in_turn && !self.last_is_deletion);
        let newest = self
            .newest
            .filter(|stamp| is_deletion(*stamp) && is_settled);
        self.dropped.extend(newest);
        self.dropped
    }
}
