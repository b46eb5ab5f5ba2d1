//! The reason why a table without differences is not proved to be even.

use std::fmt;

use fluo_table::Grouped;
use serde::Serialize;

/// A reason why evenness is not proved. Its text is a clause for an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Unproved {
    /// The table has no rows.
    NoRows,
    /// Rows were not counted: the figures are the tablets' entries.
    RowsNotCounted,
    /// A recipe has so few rows that chance could make a tablet too full.
    TooFewRows {
        /// The recipe.
        recipe: String,
        /// The number of its rows.
        rows: u64,
    },
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => f.write_str("it has no rows"),
            Self::RowsNotCounted => {
                f.write_str("its rows were not counted and their keys not checked")
            }
            Self::TooFewRows { recipe, rows } => {
                write!(f, "{recipe} has too few rows to tell ({})", Grouped(*rows))
            }
        }
    }
}
