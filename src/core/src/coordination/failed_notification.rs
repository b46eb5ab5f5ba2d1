//! A notification that no observer could process.

use crate::coordination::ObserverKind;
use crate::data::{RowColumn, Timestamp};

/// A notification that was tried often enough and set aside, so that it neither blocks the others nor is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedNotification {
    /// The cell that changed: a row and an observed column.
    pub cell: RowColumn,
    /// How the observer of the column is told of changes.
    pub kind: ObserverKind,
    /// The timestamp of the notification.
    pub timestamp: Timestamp,
    /// How often it was tried.
    pub tries: u32,
    /// What the last try said. Of a longer one than [`MAX_ERROR_BYTES`](Self::MAX_ERROR_BYTES) the beginning is kept.
    pub error: String,
    /// When the last try failed, in milliseconds since 1970.
    pub failed_at_ms: i64,
}

impl FailedNotification {
    /// Most bytes of an error that are kept.
    pub const MAX_ERROR_BYTES: usize = 4_096;
    /// Most cells of an application that are set aside at once.
    pub const MAX_SET_ASIDE: usize = 10_000;

    /// The same, of an error that is too long only the beginning.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let mut most = self.error.len().min(Self::MAX_ERROR_BYTES);
        while !self.error.is_char_boundary(most) {
            most -= 1;
        }
        self.error.truncate(most);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_error_whole_characters_are_kept() {
        let failed = |error: String| FailedNotification {
            cell: RowColumn::default(),
            kind: ObserverKind::Weak,
            timestamp: Timestamp::ZERO,
            tries: 1,
            error,
            failed_at_ms: 0,
        };
        let short = failed("é".to_owned());
        assert_eq!(short.clone().bounded(), short);
        let long = failed("a".to_owned() + &"é".repeat(4_000)).bounded();
        assert_eq!(long.error.len(), 4_095);
    }
}
