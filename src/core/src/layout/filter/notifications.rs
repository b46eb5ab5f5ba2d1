//! Whether there is a notification.

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

    /// Whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64) -> bool {
        let is_newest = !std::mem::replace(&mut self.newest_was_seen, true);
        is_newest && !is_deletion(stamp)
    }
}
