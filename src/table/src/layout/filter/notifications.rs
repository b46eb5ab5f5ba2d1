//! The filter that shows pending notifications.

use super::walk::SeekHint;
use crate::layout::notification::is_deletion;

/// A filter that shows at most one entry of a column of notifications: the newest, unless it is a
/// deletion.
#[derive(Clone, Debug, Default)]
pub struct NotificationsFilter {
    newest_was_seen: bool,
}

impl NotificationsFilter {
    /// Creates the filter at the beginning of a column.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the position in the column of the next entry that the filter needs.
    pub fn looks_next(&self) -> SeekHint {
        if self.newest_was_seen { SeekHint::NextColumn } else { SeekHint::SeekTo(i64::MAX) }
    }

    /// Checks whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64) -> bool {
        let is_newest = !std::mem::replace(&mut self.newest_was_seen, true);
        is_newest && !is_deletion(stamp)
    }
}
