//! Which part of a row its salt is computed from.

use serde::{Deserialize, Serialize};

/// Which part of a row its salt is computed from.
///
/// Rows that share the part share the salt, and so lie together: a scan within one part stays in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum SaltedPart {
    /// The whole row.
    #[default]
    Whole,
    /// What stands before the first of this text; the whole row where there is none.
    Before(String),
    /// The first bytes, so many; a shorter row is taken whole.
    First(usize),
    /// The leading fields of a composite row, so many.
    Fields(usize),
    /// What a row with a time is about: a row of the design `reverse-time` without its time and separator.
    Entity,
}
