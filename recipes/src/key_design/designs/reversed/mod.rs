//! `reversed`: the row read backwards.

mod alphabet;
mod encoding;

use serde::{Deserialize, Serialize};

pub use self::alphabet::RowAlphabet;
use self::encoding::Reversal;
pub use self::encoding::{ReversedUnit, RowLength};
use crate::key_design::error::DesignError;
use crate::key_design::parts::DesignParts;

/// Settings of the design `reversed`: the row's last byte or character first.
///
/// It spreads rows whose end changes most, such as ascending numbers. Rows can be read one by one
/// or by suffix; rows with a common prefix, or in a range, are scattered over the whole table.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, Reversed, RowAlphabet, RowLength, RowSelection};
///
/// let settings = Reversed { alphabet: Some(RowAlphabet::Digits), ..Reversed::new(RowLength::Fixed(6)) };
/// let design = KeyDesign::new(settings)?;
/// assert_eq!(design.encode_row(b"001234")?, "432100");
/// assert_eq!(design.splits(5)?, ["2", "4", "6", "8"]);
/// assert_eq!(design.spans(&RowSelection::Suffix("34".into()))?.len(), 1);
/// assert!(design.spans(&RowSelection::Prefix("00".into())).is_err());
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Given")]
pub struct Reversed {
    /// The way to find the end of a row: one length for all rows, or a length stored with each.
    pub length: RowLength,
    /// The unit that is reversed. The default is bytes.
    pub unit: ReversedUnit,
    /// The characters of which rows consist, for even split points. Without it there are no split
    /// points.
    pub alphabet: Option<RowAlphabet>,
}

/// The settings as a spec file contains them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    length: Option<RowLength>,
    #[serde(default)]
    unit: ReversedUnit,
    alphabet: Option<RowAlphabet>,
}

impl Reversed {
    /// Creates settings that reverse the bytes of rows of this length.
    #[must_use]
    pub fn new(length: RowLength) -> Self {
        Self {
            length,
            unit: ReversedUnit::Bytes,
            alphabet: None,
        }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        let reversal = Reversal::new(self.length, self.unit, self.alphabet)?;
        DesignParts::new("reversed", None, reversal)
    }
}

impl TryFrom<Given> for Reversed {
    type Error = DesignError;

    fn try_from(given: Given) -> Result<Self, DesignError> {
        let Given {
            length,
            unit,
            alphabet,
        } = given;
        let length = length.ok_or_else(|| {
            DesignError::settings(
                "reversed rows of variable length look like truncated keys: give the length that all rows have, such \
                 as length = { fixed = 10 }, or store it with each row, with length = \"stored\"; a digest-salt accepts \
                 rows of any length",
            )
        })?;
        Ok(Self {
            length,
            unit,
            alphabet,
        })
    }
}
