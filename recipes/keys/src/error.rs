//! The error of a recipe.

use std::error::Error as StdError;
use std::fmt;

use fluo_table::{Error, ErrorKind};

/// The input that was rejected and therefore has to change, or the failure of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecipeErrorKind {
    /// The settings: they describe no valid hasher, design, requirement or limit, contradict each
    /// other, or give less memory than the rows need.
    Settings,
    /// The row: the design has no key for it.
    Row,
    /// The key: the hasher or the design cannot have made it.
    Key,
    /// The number of tablets, or the request for split points itself.
    Splits,
    /// The number of tablets: rows of the design have no alphabet to split evenly, so the split
    /// points must come from a sample.
    NoEvenSplits,
    /// The rows to be read: the design scatters them.
    Scan,
    /// The cursor: the text is not a cursor, or it belongs to another scan or migration.
    Cursor,
    /// The table could not be read or written.
    Table(ErrorKind),
}

pub(crate) type Result<T = ()> = std::result::Result<T, RecipeError>;

/// An error of a recipe. Its message says what would be accepted.
#[derive(Clone, Debug)]
pub struct RecipeError {
    kind: RecipeErrorKind,
    message: String,
    table: Option<Error>,
}

impl RecipeError {
    /// Returns the kind of input that was rejected, or of failure.
    pub fn kind(&self) -> RecipeErrorKind {
        self.kind
    }

    pub(crate) fn no_tablets() -> Self {
        Self::splits("a table has at least 1 tablet, not 0")
    }
}

macro_rules! of_kinds {
    ($($kind:ident: $name:ident),+) => {
        impl RecipeError {
            $(pub(crate) fn $name(message: impl Into<String>) -> Self {
                Self { kind: RecipeErrorKind::$kind, message: message.into(), table: None }
            })+
        }
    };
}

of_kinds! {
    Settings: settings, Row: row, Key: key, Splits: splits, NoEvenSplits: no_even_splits,
    Scan: scan, Cursor: cursor
}

/// Keeps the message and the source of an error of a table.
impl From<Error> for RecipeError {
    fn from(error: Error) -> Self {
        Self {
            kind: RecipeErrorKind::Table(error.kind()),
            message: error.to_string(),
            table: Some(error),
        }
    }
}

/// Keeps the error of a table; every other one is [`Invalid`](ErrorKind::Invalid).
impl From<RecipeError> for Error {
    fn from(error: RecipeError) -> Self {
        let table = error.table.clone();
        table.unwrap_or_else(|| Self::with_source(ErrorKind::Invalid, error.message.clone(), error))
    }
}

impl PartialEq for RecipeError {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl Eq for RecipeError {}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for RecipeError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.table.as_ref().and_then(Error::source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_kind_the_message_and_the_source_of_an_error_of_a_table() {
        let disk = std::io::Error::other("No space left on device");
        let full = Error::with_source(ErrorKind::Storage, "cannot commit", disk);
        let error = RecipeError::from(full);
        assert_eq!(error.kind(), RecipeErrorKind::Table(ErrorKind::Storage));
        assert_eq!(error.to_string(), "cannot commit");
        let source = error.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("No space left on device"));
    }
}
