//! `reversed`: the row read backwards.

mod alphabet;
mod encoding;

use serde::{Deserialize, Serialize};

pub use self::alphabet::RowAlphabet;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;

/// Settings of the design `reversed`: the row's last byte or character first.
///
/// It spreads rows whose end changes most, such as ascending numbers. Rows can be read one by one
/// or by suffix; rows with a common prefix, or in a range, are scattered over the whole table.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Reversed, RowAlphabet, RowLength, RowSelection};
///
/// let settings = Reversed { alphabet: Some(RowAlphabet::Digits), ..Reversed::new(RowLength::Fixed(6)) };
/// let design = KeyDesign::new(settings)?;
/// assert_eq!(design.encode_row(b"001234")?, "432100");
/// assert_eq!(design.splits(5)?, ["2", "4", "6", "8"]);
/// assert_eq!(design.spans(&RowSelection::Suffix("34".into()))?.len(), 1);
/// assert!(design.spans(&RowSelection::Prefix("00".into())).is_err());
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reversed {
    /// The way to find the end of a row: one length for all rows, or a length stored with each.
    pub length: RowLength,
    /// The unit that is reversed. The default is bytes.
    #[serde(default)]
    pub unit: ReversedUnit,
    /// The characters of which rows consist, for even split points. Without it there are no split
    /// points.
    pub alphabet: Option<RowAlphabet>,
}

/// The way to find the end of a reversed row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RowLength {
    /// All rows have this length, in bytes or in characters as they are reversed.
    Fixed(usize),
    /// Rows have any length. The length is stored after each row, which takes 5 bytes, plus one
    /// for each zero byte in the row.
    Stored,
}

/// The unit that is reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReversedUnit {
    /// Bytes. Reversed text beyond ASCII is not valid text.
    #[default]
    Bytes,
    /// Characters, as Unicode scalar values; the row must be UTF-8 text. A combining mark moves
    /// before its letter.
    Characters,
}

impl Reversed {
    /// Creates settings that reverse the bytes of rows of this length.
    pub fn new(length: RowLength) -> Self {
        Self { length, unit: ReversedUnit::Bytes, alphabet: None }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        if self.length == RowLength::Fixed(0) {
            return Err(RecipeError::settings(
                "rows of length 0 cannot be reversed: give the length that all rows have, or store it",
            ));
        }
        if (self.unit, self.alphabet) == (ReversedUnit::Characters, Some(RowAlphabet::Bytes)) {
            return Err(RecipeError::settings(
                "rows reversed by characters are text: give the alphabet `printable`, or reverse bytes",
            ));
        }
        DesignParts::new("reversed", None, self.clone())
    }
}
