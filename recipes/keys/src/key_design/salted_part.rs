//! The part of a row from which its salt is computed.

use serde::{Deserialize, Serialize};

/// The part of a row from which its salt is computed.
///
/// Rows with the same part have the same salt and are stored together: a scan within one part reads
/// one piece of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum SaltedPart {
    /// The whole row.
    #[default]
    Whole,
    /// The text before the first occurrence of this separator, or the whole row if it does not
    /// occur.
    Before(String),
    /// This number of leading bytes, or the whole row if it is shorter.
    First(usize),
    /// This number of leading fields of a composite row.
    Fields(usize),
    /// The entity of a row with a time: a row of the design `reverse-time` without its time and
    /// separator.
    Entity,
}
