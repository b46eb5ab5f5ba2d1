//! Cursors: the positions from which a salted scan resumes.
//!
//! ```text
//!  scan-  16 hex digits    -  stored key of the last row, escaped
//!         of design, rows
//! ```

use std::fmt;
use std::str::FromStr;

use fluo_table::{Bytes, Escaped, unescape};
use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowSelection};

/// The position from which a scan of the same design and rows resumes: right after a row.
///
/// A cursor converts to and from plain text, to be stored or sent. It contains no columns, filter
/// or limit; the next scan sets them again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScanCursor {
    mark: Mark,
    key: Bytes,
}

/// A 64-bit digest of the request for which a cursor was made. Two different requests share a mark
/// with a probability of 2^-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark(u64);

impl ScanCursor {
    pub(crate) fn new(mark: Mark, key: Bytes) -> Self {
        Self { mark, key }
    }

    /// Returns the stored key of the row after which the scan resumes, if the cursor has this mark.
    pub(crate) fn key_for(&self, mark: Mark) -> Result<&Bytes, RecipeError> {
        if self.mark == mark {
            return Ok(&self.key);
        }
        Err(self.of_another())
    }

    pub(crate) fn of_another(&self) -> RecipeError {
        RecipeError::cursor(format!(
            "the cursor `{self}` belongs to a scan of other rows or of another design"
        ))
    }
}

impl Mark {
    /// Returns the mark of a request.
    ///
    /// The text of a design identifies its salts. The keys of the design for these rows (if it has
    /// any) and the rows themselves distinguish requests whose designs have the same text.
    pub(crate) fn of(designs: &[KeyDesign], rows: &RowSelection) -> Self {
        let mut digest = Sha1::new();
        let mut add = |bytes: &[u8]| {
            digest.update(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
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
        let [a, b, c, d, e, f, g, h, ..] = digest.digest().bytes();
        Self(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Parses a mark as written in the text of a cursor.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
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
        write!(f, "scan-{}-{}", self.mark, Escaped(&self.key))
    }
}

impl FromStr for ScanCursor {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Self, RecipeError> {
        let read = || {
            let rest = text.strip_prefix("scan-")?;
            let (mark, key) = rest.split_once('-')?;
            Some(Self::new(Mark::parse(mark)?, unescape(key).ok()?))
        };
        read().ok_or_else(|| {
            let text: String = text.chars().take(100).collect();
            RecipeError::cursor(format!("`{text}` is not a cursor of a scan"))
        })
    }
}

impl TryFrom<String> for ScanCursor {
    type Error = RecipeError;

    fn try_from(text: String) -> Result<Self, RecipeError> {
        text.parse()
    }
}

impl From<ScanCursor> for String {
    fn from(cursor: ScanCursor) -> Self {
        cursor.to_string()
    }
}
