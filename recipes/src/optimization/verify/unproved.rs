//! Why a table that is as it should be is not proved to be even.

use std::fmt;

use serde::Serialize;

use super::census::Census;
use super::load::LoadStanding;
use super::rows::RowsVerdict;
use crate::number::{counted, grouped};

/// A reason why evenness is not proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Unproved {
    /// The table has no rows.
    NoRows,
    /// Rows were not counted: the figures are the tablets' entries.
    RowsNotCounted,
    /// A recipe has no rows, in a table that has some.
    NoRowsOf {
        /// The recipe.
        recipe: String,
    },
    /// A recipe has so few rows that chance could make a tablet too full.
    TooFewRows {
        /// The recipe.
        recipe: String,
        /// Its rows.
        rows: u64,
        /// Its tablets.
        tablets: usize,
    },
    /// All rows of a recipe are to be in one tablet.
    OneTablet {
        /// The recipe.
        recipe: String,
    },
    /// The tablet is too full by its entries, and not by the cells that can be seen: the others are deleted, or need other
    /// authorizations.
    HiddenEntries {
        /// The tablet, as messages name it.
        tablet: String,
        /// Its entries as a multiple of the mean.
        skew: String,
    },
    /// The optimizations ask for fewer tablets than there are servers, some of which can have none.
    FewerTabletsThanServers {
        /// The tablets that are asked for.
        tablets: usize,
        /// The servers.
        servers: usize,
    },
}

impl Unproved {
    /// The reasons, for a table of so many planned tablets on so many servers.
    pub(super) fn of(census: &Census, tablets: usize, servers: usize) -> Vec<Self> {
        let mut reasons: Vec<_> = if !census.counts_rows {
            vec![Self::RowsNotCounted]
        } else if census.total() == 0 {
            vec![Self::NoRows]
        } else {
            census.rows.iter().filter_map(Self::of_recipe).collect()
        };
        if (2..servers).contains(&tablets) {
            reasons.push(Self::FewerTabletsThanServers { tablets, servers });
        }
        reasons
    }

    fn of_recipe(rows: &RowsVerdict) -> Option<Self> {
        let recipe = rows.recipe.clone();
        match rows.load.load.standing {
            LoadStanding::Even | LoadStanding::TooFull => None,
            LoadStanding::Empty => Some(Self::NoRowsOf { recipe }),
            LoadStanding::OnePlace => Some(Self::OneTablet { recipe }),
            LoadStanding::TooFewToTell => Some(Self::TooFewRows {
                recipe,
                rows: rows.total,
                tablets: rows.load.load.places,
            }),
        }
    }

    /// Whether more rows, or counting them, would prove it.
    pub(super) fn is_for_want_of_rows(&self) -> bool {
        !matches!(
            self,
            Self::OneTablet { .. }
                | Self::FewerTabletsThanServers { .. }
                | Self::HiddenEntries { .. }
        )
    }
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => f.write_str("it has no rows"),
            Self::RowsNotCounted => f.write_str("its rows were not counted"),
            Self::NoRowsOf { recipe } => write!(f, "{recipe} has no rows"),
            Self::TooFewRows {
                recipe,
                rows,
                tablets,
            } => {
                let ending = if *rows == 1 { "" } else { "s" };
                write!(
                    f,
                    "{recipe} has too few rows to tell ({} row{ending} in {})",
                    grouped(*rows),
                    counted(*tablets, "tablet")
                )
            }
            Self::FewerTabletsThanServers { tablets, servers } => write!(
                f,
                "it is to have {} on {}",
                counted(*tablets, "tablet"),
                counted(*servers, "server")
            ),
            Self::HiddenEntries { tablet, skew } => write!(
                f,
                "{tablet} holds {skew} times the mean of all entries, those that are deleted or that other authorizations \
                 show among them"
            ),
            Self::OneTablet { recipe } => write!(f, "{recipe} has all its rows in one tablet"),
        }
    }
}
