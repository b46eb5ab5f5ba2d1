//! `reversed`: the row read backwards.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{Form, Reversal, ReversedUnit, RowAlphabet, RowLength};
use super::{DesignSettings, Halves};

/// Settings of the design `reversed`: the row's last byte or character first.
///
/// It spreads rows whose end changes most, such as numbers that count up. Rows can be read one by one or by their
/// suffix; rows with one prefix, or of a range, lie all over the table.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, Reversed, RowAlphabet, RowLength, Rows};
///
/// let settings = Reversed { alphabet: Some(RowAlphabet::Digits), ..Reversed::new(RowLength::Fixed(6)) };
/// let design = KeyDesign::new(settings)?;
/// assert_eq!(design.add(b"001234")?, "432100");
/// assert_eq!(design.splits(5)?, ["2", "4", "6", "8"]);
/// assert_eq!(design.spans(&Rows::Suffix("34".into()))?.len(), 1);
/// assert!(design.spans(&Rows::Prefix("00".into())).is_err());
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Given")]
pub struct Reversed {
    /// How the end of a row is known: by the length of all, or by one that is stored with each.
    pub length: RowLength,
    /// What changes places; bytes unless given.
    pub unit: ReversedUnit,
    /// Of which characters rows are made, for even split points; unless given there are none.
    pub alphabet: Option<RowAlphabet>,
}

/// What a spec file can say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    length: Option<RowLength>,
    #[serde(default)]
    unit: ReversedUnit,
    alphabet: Option<RowAlphabet>,
}

impl Reversed {
    /// Bytes reversed, of rows of this length.
    #[must_use]
    pub fn new(length: RowLength) -> Self {
        Self {
            length,
            unit: ReversedUnit::Bytes,
            alphabet: None,
        }
    }

    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        let reversal = Reversal::new(self.length, self.unit, self.alphabet)?;
        Ok(Halves {
            name: "reversed",
            salt: None,
            leading_point: false,
            form: Form::Reversed(reversal),
        })
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
                "reversed rows of variable length cannot be told from keys that were cut short: give the length that \
                 all rows have, such as length = { fixed = 10 }, or let it be stored with each, with length = \
                 \"stored\"; a digest-salt takes rows of any length as they are",
            )
        })?;
        Ok(Self {
            length,
            unit,
            alphabet,
        })
    }
}

impl From<Reversed> for DesignSettings {
    fn from(settings: Reversed) -> Self {
        Self::Reversed(settings)
    }
}
