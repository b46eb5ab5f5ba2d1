//! A notification whose observer failed too often.

use std::error::Error as StdError;

use bytes::{Buf, BufMut};

use crate::coordination::ObserverKind;
use crate::data::{RowColumn, Timestamp};

/// A notification that was tried too many times. It is stored apart from the table, so that it
/// neither blocks the others nor is lost.
///
/// # Stored form
///
/// ```text
/// cell        in a form of the store
/// kind        00 strong, 01 weak
/// timestamp   8 bytes, big-endian
/// tries       4 bytes, big-endian
/// failed at   8 bytes, big-endian: milliseconds since 1970, two's complement
/// error       UTF-8
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedNotification {
    /// The cell that changed: a row and an observed column.
    pub cell: RowColumn,
    /// The kind of the column's observer.
    pub kind: ObserverKind,
    /// The timestamp of the notification.
    pub timestamp: Timestamp,
    /// The number of tries.
    pub tries: u32,
    /// The error of the last try, cut to [`MAX_ERROR_BYTES`](Self::MAX_ERROR_BYTES).
    pub error: String,
    /// The time at which the last try failed, in milliseconds since 1970.
    pub failed_at_ms: i64,
}

impl FailedNotification {
    /// The maximum size of a stored error, in bytes.
    pub const MAX_ERROR_BYTES: usize = 4_096;
    /// The maximum number of cells of an application with a failed notification.
    pub const MAX_DEAD_LETTERS: usize = 10_000;

    /// Cuts an error that is too long, at the end.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        Self::cut(&mut self.error);
        self
    }

    /// Cuts the text of an error that is too long, between two characters. It may include a large
    /// value.
    pub fn cut(error: &mut String) {
        let mut most = error.len().min(Self::MAX_ERROR_BYTES);
        while !error.is_char_boundary(most) {
            most -= 1;
        }
        error.truncate(most);
    }

    /// Appends the stored form, without the cell.
    pub fn encode_to(&self, bytes: &mut Vec<u8>) {
        bytes.put_u8(u8::from(self.kind == ObserverKind::Weak));
        bytes.put_u64(self.timestamp.get());
        bytes.put_u32(self.tries);
        bytes.put_i64(self.failed_at_ms);
        bytes.put_slice(self.error.as_bytes());
    }

    /// Decodes the stored form of a cell. Returns `None` if the bytes are invalid.
    pub fn decode(cell: RowColumn, mut bytes: &[u8]) -> Option<Self> {
        Some(Self {
            cell,
            kind: match bytes.try_get_u8().ok()? {
                0 => ObserverKind::Strong,
                1 => ObserverKind::Weak,
                _ => return None,
            },
            timestamp: Timestamp::new(bytes.try_get_u64().ok()?).ok()?,
            tries: bytes.try_get_u32().ok()?,
            failed_at_ms: bytes.try_get_i64().ok()?,
            error: str::from_utf8(bytes).ok()?.to_owned(),
        })
    }

    /// Returns an error with its causes, unless its message already includes them.
    pub fn describe(error: &(dyn StdError + 'static)) -> String {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            source = cause.source();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_a_long_error_between_characters() {
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
