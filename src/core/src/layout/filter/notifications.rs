//! Whether there is a notification.

use super::walk::LooksNext;
use crate::layout::notification::is_deletion;

/// Shows at most one entry of a column of notifications: the newest, unless it takes notifications away.
#[derive(Clone, Debug, Default)]
pub struct NotificationsFilter {
    newest_was_seen: bool,
}

impl NotificationsFilter {
    /// At the beginning of a column.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where in the column it looks next.
    pub fn looks_next(&self) -> LooksNext {
        match self.newest_was_seen {
            true => LooksNext::Nowhere,
            false => LooksNext::AtOrBelow(i64::MAX),
        }
    }

    /// Whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64) -> bool {
        let is_newest = !std::mem::replace(&mut self.newest_was_seen, true);
        is_newest && !is_deletion(stamp)
    }
}
