//! Cursors: the positions from which a migration resumes.
//!
//! ```text
//!  migrate-  16 hex digits  -  number of  -  stored key of the last row, escaped;
//!            of the designs    the epoch     absent at the beginning of an epoch
//! ```

use std::fmt;
use std::str::FromStr;

use fluo_table::{Bytes, Escaped, unescape};
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::salted_scan::Mark;

/// The position from which a migration of the same designs resumes: right after a stored row of an
/// epoch.
///
/// A cursor converts to and from plain text, to be stored or sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MigrationCursor {
    mark: Mark,
    pub(super) epoch: usize,
    pub(super) after: Option<Bytes>,
}

impl MigrationCursor {
    pub(super) fn new(mark: Mark, epoch: usize, after: Option<Bytes>) -> Self {
        Self { mark, epoch, after }
    }

    pub(super) fn check(&self, mark: Mark) -> Result<(), RecipeError> {
        if self.mark == mark {
            return Ok(());
        }
        Err(RecipeError::cursor(format!(
            "the cursor `{self}` belongs to other designs: start without a cursor"
        )))
    }
}

impl fmt::Display for MigrationCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "migrate-{}-{}", self.mark, self.epoch)?;
        match &self.after {
            Some(key) => write!(f, "-{}", Escaped(key)),
            None => Ok(()),
        }
    }
}

impl FromStr for MigrationCursor {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Self, RecipeError> {
        let read = || {
            let (mark, rest) = text.strip_prefix("migrate-")?.split_once('-')?;
            let (epoch, key) = match rest.split_once('-') {
                Some((epoch, key)) => (epoch, Some(unescape(key).ok()?)),
                None => (rest, None),
            };
            Some(Self::new(Mark::parse(mark)?, epoch.parse().ok()?, key))
        };
        read().ok_or_else(|| {
            let text: String = text.chars().take(100).collect();
            RecipeError::cursor(format!("`{text}` is not a cursor of a migration"))
        })
    }
}

impl TryFrom<String> for MigrationCursor {
    type Error = RecipeError;

    fn try_from(text: String) -> Result<Self, RecipeError> {
        text.parse()
    }
}

impl From<MigrationCursor> for String {
    fn from(cursor: MigrationCursor) -> Self {
        cursor.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_its_own_text() {
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
    fn rejects_other_text() {
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
