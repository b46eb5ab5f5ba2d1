//! Where a salted scan goes on.
//!
//! ```text
//!  scan-  16 hex digits    -  stored key of the last row, escaped
//!         of design, rows
//! ```

use std::fmt;
use std::str::FromStr;

use fluo_core::{Bytes, Escaped, unescape};
use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};
use thiserror::Error;

use crate::key_design::{KeyDesign, Rows};

/// Where a scan of the same design and rows goes on: right after a row.
///
/// It is plain text, in which it can be kept and sent; it says nothing of columns, filter or limit, which the next
/// scan sets anew.
///
/// # Examples
///
/// ```
/// use fluo_recipes::ScanCursor;
///
/// let text = "scan-0123456789abcdef-07|caf\\xc3\\xa9";
/// let cursor: ScanCursor = text.parse()?;
/// assert_eq!(cursor.to_string(), text);
/// # Ok::<(), fluo_recipes::CursorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScanCursor {
    mark: Mark,
    key: Bytes,
}

/// What a cursor was made for, in 64 bits: two requests that differ have different marks, but for one case in 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark(u64);

/// A cursor that is none, or one of another scan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The text was not written by a cursor.
    #[error(
        "`{text}` is not a cursor: it begins with `{expected}-`, 16 hexadecimal digits and `-`, and ends with an \
         escaped key"
    )]
    Text {
        /// The text.
        text: String,
        /// What it should begin with.
        expected: &'static str,
    },
    /// The cursor was made by another scan.
    #[error(
        "the cursor `{cursor}` is not of this scan: it was made for other rows or another design; scan the same rows \
         of the same design, or start without a cursor"
    )]
    Other {
        /// The cursor.
        cursor: String,
    },
}

impl ScanCursor {
    const KIND: &'static str = "scan";

    pub(crate) fn new(mark: Mark, key: Bytes) -> Self {
        Self { mark, key }
    }

    /// The stored key of the row after which the scan goes on, if the cursor is of such a scan.
    pub(crate) fn key_for(&self, mark: Mark) -> Result<&Bytes, CursorError> {
        if self.mark == mark {
            return Ok(&self.key);
        }
        Err(self.of_another())
    }

    pub(crate) fn of_another(&self) -> CursorError {
        CursorError::Other {
            cursor: self.to_string(),
        }
    }
}

impl Mark {
    /// The mark of a request.
    ///
    /// The text of a design says what its salts are; its keys for the rows of the request, where it has any, and the
    /// rows themselves tell apart what reads alike.
    pub(crate) fn of(designs: &[KeyDesign], rows: &Rows) -> Self {
        let mut digest = Sha1::new();
        let mut add = |bytes: &[u8]| {
            digest.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            digest.update(bytes);
        };
        for design in designs {
            add(design.to_string().as_bytes());
            let spans = design.spans(rows).unwrap_or_default();
            for span in [spans.first(), spans.last()].into_iter().flatten() {
                add(&span.start().row);
                add(span.end().map_or(&[], |end| end.row.as_ref()));
            }
            add(spans.len().to_string().as_bytes());
        }
        add(format!("{rows:?}").as_bytes());
        let first = digest.finalize().first_chunk().copied().unwrap_or_default();
        Self(u64::from_be_bytes(first))
    }

    /// A mark as it stands in the text of a cursor.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_hex = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let mark = u64::from_str_radix(text, 16).ok()?;
        (text.len() == 16 && is_hex).then_some(Self(mark))
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for ScanCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", Self::KIND, self.mark, Escaped(&self.key))
    }
}

impl FromStr for ScanCursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let read = || {
            let rest = text.strip_prefix(Self::KIND)?.strip_prefix('-')?;
            let (mark, key) = rest.split_once('-')?;
            Some(Self::new(Mark::parse(mark)?, unescape(key).ok()?))
        };
        read().ok_or_else(|| CursorError::Text {
            text: text.chars().take(100).collect(),
            expected: Self::KIND,
        })
    }
}

impl TryFrom<String> for ScanCursor {
    type Error = CursorError;

    fn try_from(text: String) -> Result<Self, CursorError> {
        text.parse()
    }
}

impl From<ScanCursor> for String {
    fn from(cursor: ScanCursor) -> Self {
        cursor.to_string()
    }
}
