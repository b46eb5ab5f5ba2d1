//! The reasons why a table without differences is not proved to be even.

use std::fmt;

use fluo_table::Grouped;
use serde::Serialize;

use super::census::Census;
use super::load::LoadStanding;
use super::look::Look;
use super::rows::RowsVerdict;
use super::sentences;
use super::servers::ServerLoad;
use crate::number::counted;

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
        /// The number of its rows.
        rows: u64,
        /// The number of its tablets.
        tablets: usize,
    },
    /// The optimizations put all rows of a recipe into one tablet.
    OneTablet {
        /// The recipe.
        recipe: String,
    },
    /// A tablet is too full by its entries, but not by the cells that the user can see: the others
    /// are deleted, or need other authorizations.
    HiddenEntries {
        /// The tablet as shown in messages.
        tablet: String,
        /// The number of its entries as a multiple of the mean.
        skew: String,
    },
    /// A server is too full, because the optimizations request fewer tablets than there are
    /// servers.
    HotByDesign {
        /// The sentence about the server.
        told: String,
    },
    /// The optimizations request fewer tablets than there are servers, so some servers can have
    /// none.
    FewerTabletsThanServers {
        /// The number of requested tablets.
        tablets: usize,
        /// The number of servers.
        servers: usize,
    },
}

impl Unproved {
    /// Returns the reasons. A server that is hot by design comes first. There are no reasons if
    /// nothing is compared.
    pub(super) fn of(look: &Look<'_>, census: &Census, load: &ServerLoad) -> Vec<Self> {
        if !look.compares() {
            return Vec::new();
        }
        let hot = load.hot_by_design();
        let sentence = hot.and_then(|_| load.sentence(sentences::unit(census.counts_rows)));
        let mut reasons: Vec<_> = sentence
            .map(|told| Self::HotByDesign { told })
            .into_iter()
            .collect();
        if !census.counts_rows {
            reasons.push(Self::RowsNotCounted);
        } else if census.total() == 0 {
            reasons.push(Self::NoRows);
        } else {
            reasons.extend(census.rows.iter().filter_map(Self::of_recipe));
        }
        let (tablets, servers) = (look.planned(), look.servers.len());
        if hot.is_some() {
            reasons.retain(|reason| !matches!(reason, Self::OneTablet { .. }));
        } else if (2..servers).contains(&tablets) {
            reasons.push(Self::FewerTabletsThanServers { tablets, servers });
        }
        reasons
    }

    fn of_recipe(rows: &RowsVerdict) -> Option<Self> {
        let recipe = rows.recipe.clone();
        match rows.load.load.standing {
            LoadStanding::Even | LoadStanding::TooFull | LoadStanding::NotCompared => None,
            LoadStanding::Empty => Some(Self::NoRowsOf { recipe }),
            LoadStanding::OnePlace => Some(Self::OneTablet { recipe }),
            LoadStanding::TooFewToTell => Some(Self::TooFewRows {
                recipe,
                rows: rows.total,
                tablets: rows.load.load.places,
            }),
        }
    }

    /// Checks whether both are the same reason, possibly with other figures.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NoRowsOf { recipe: a }, Self::NoRowsOf { recipe: b })
            | (Self::OneTablet { recipe: a }, Self::OneTablet { recipe: b })
            | (Self::TooFewRows { recipe: a, .. }, Self::TooFewRows { recipe: b, .. }) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Checks whether evenness is disproved, or whether more rows, or counting them, would prove
    /// it.
    pub(super) fn is_refused_if_required(&self) -> bool {
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
            Self::HotByDesign { told } => f.write_str(told),
            Self::NoRows => f.write_str("it has no rows"),
            Self::RowsNotCounted => {
                f.write_str("its rows were not counted and their keys not checked")
            }
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
                    Grouped(*rows),
                    counted(*tablets, "tablet")
                )
            }
            Self::FewerTabletsThanServers { tablets, servers } => write!(
                f,
                "it has {} for {}",
                counted(*tablets, "planned tablet"),
                counted(*servers, "server")
            ),
            Self::HiddenEntries { tablet, skew } => write!(
                f,
                "{tablet} holds {skew} times the mean of all entries, including those that are deleted or need other \
                 authorizations"
            ),
            Self::OneTablet { recipe } => write!(f, "{recipe} has all its rows in one tablet"),
        }
    }
}
