//! `unsalted`: rows as they are.

use serde::{Deserialize, Serialize};

use super::super::form::RowEncoding;
use super::{DesignParts, DesignSettings};

/// Settings of the design `unsalted`, which has none: the key of a row is the row.
///
/// It is for rows that are already spread, and for a table whose keys must not change. Split points
/// cannot be computed, because the distribution of the rows is unknown: take them from a sample.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, RowSelection, Unsalted};
///
/// let design = KeyDesign::new(Unsalted {})?;
/// assert_eq!(design.encode_row(b"user42/7")?, "user42/7");
/// assert_eq!(design.spans(&RowSelection::Prefix("user42/".into()))?.len(), 1);
/// assert!(design.splits(4).is_err());
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsalted {}

impl Unsalted {
    pub(super) fn parts() -> DesignParts {
        DesignParts {
            name: "unsalted",
            salt: None,
            form: RowEncoding::Plain,
            leading_point: false,
        }
    }
}

impl From<Unsalted> for DesignSettings {
    fn from(settings: Unsalted) -> Self {
        Self::Unsalted(settings)
    }
}
