//! Cursors: the positions from which a scan or a migration resumes, as text.
//!
//! ```text
//!  scan-     16 hex digits     -  stored key of the last row, escaped
//!            of design, rows
//!
//!  migrate-  16 hex digits  -  number of  -  stored key of the last row, escaped;
//!            of the designs    the epoch     absent at the beginning of an epoch
//! ```

use std::fmt;
use std::str::FromStr;

use fluo_table::{Bytes, Escaped, unescape};
use sha1_smol::Sha1;

use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowSelection};

/// The position from which a scan of the same design and rows resumes: right after a row.
///
/// A cursor converts to and from plain text, to be stored or sent. It contains no columns, filter
/// or limit; the next scan sets them again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScanCursor {
    pub(crate) mark: Mark,
    pub(crate) key: Bytes,
}

/// The position from which a migration of the same designs resumes: right after a stored row of an
/// epoch.
///
/// A cursor converts to and from plain text, to be stored or sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MigrationCursor {
    pub(crate) mark: Mark,
    pub(crate) epoch: usize,
    pub(crate) after: Option<Bytes>,
}

/// A 64-bit digest of the request for which a cursor was made. Two different requests share a mark
/// with a probability of 2^-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark(u64);

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

    fn parse(text: &str) -> Option<Self> {
        let mark = Self(u64::from_str_radix(text, 16).ok()?);
        (mark.to_string() == text).then_some(mark)
    }
}

/// Parses the text of a cursor: its first word, the mark, and the rest.
fn parse<C>(
    text: &str,
    [word, task]: [&str; 2],
    rest: impl FnOnce(Mark, &str) -> Option<C>,
) -> Result<C, RecipeError> {
    let halves = text.strip_prefix(word).and_then(|text| text.split_once('-'));
    let cursor = halves.and_then(|(mark, text)| rest(Mark::parse(mark)?, text));
    cursor.ok_or_else(|| {
        let text: String = text.chars().take(100).collect();
        RecipeError::cursor(format!("`{text}` is not a cursor of a {task}"))
    })
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for ScanCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scan-{}-{}", self.mark, Escaped(&self.key).in_ascii())
    }
}

impl fmt::Display for MigrationCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "migrate-{}-{}", self.mark, self.epoch)?;
        self.after.iter().try_for_each(|key| write!(f, "-{}", Escaped(key).in_ascii()))
    }
}

impl FromStr for ScanCursor {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Self, RecipeError> {
        parse(text, ["scan-", "scan"], |mark, key| Some(Self { mark, key: unescape(key).ok()? }))
    }
}

impl FromStr for MigrationCursor {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Self, RecipeError> {
        parse(text, ["migrate-", "migration"], |mark, rest| {
            let (epoch, after) = match rest.split_once('-') {
                Some((epoch, key)) => (epoch, Some(unescape(key).ok()?)),
                None => (rest, None),
            };
            Some(Self { mark, epoch: epoch.parse().ok()?, after })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_cursor_parses_its_own_text() {
        for text in [
            "migrate-0123456789abcdef-0",
            r"migrate-0123456789abcdef-1-07|a-b\x00",
            "migrate-0123456789abcdef-1-",
        ] {
            let cursor: MigrationCursor = text.parse().unwrap();
            assert_eq!(cursor.to_string(), text);
        }
    }

    #[test]
    fn a_migration_cursor_rejects_other_text() {
        for text in [
            "",
            "migrate-",
            "migrate-xyz-0",
            "migrate-0123456789abcdef-x",
            r"migrate-0123456789abcdef-0-\q",
        ] {
            let error = text.parse::<MigrationCursor>().unwrap_err();
            assert_eq!(error.to_string(), format!("`{text}` is not a cursor of a migration"));
        }
    }
}
