//! Differences between a table and its optimizations.

use fluo_table::table::property::BALANCER;
use fluo_table::{Grouped, counted};
use serde::Serialize;
use thiserror::Error;

use super::load::{Load, Place};
use crate::optimization::balancer::value_text;

/// A difference between a table and its optimizations. Its text is a sentence for an operator; of
/// several split points it names the first.
///
/// Rows and split points are escaped text.
#[derive(Clone, Debug, PartialEq, Serialize, Error)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the documentation of a variant describes its fields")]
pub enum Difference {
    /// The storage of the table is damaged; `cause` is a sentence.
    #[error("{cause}")]
    Damage { cause: String },
    /// Requested split points do not exist.
    #[error("{} missing{}", split_points(.splits), first_of(.splits))]
    MissingSplits { splits: Vec<String> },
    /// The servers load no group balancer.
    #[error("the servers load no group balancer")]
    NoGroupBalancer,
    /// The servers cannot load the balancer of the table, so tablets may stay on no server.
    #[error(
        "the servers cannot load `{class}` of property {BALANCER}, so tablets may stay on no server"
    )]
    BalancerNotLoaded { class: String },
    /// A property of the balancer has another value than `expected`, or none.
    #[error("property {name} is {}, it should be `{expected}`", value_text(.found.as_ref()))]
    Property { name: String, found: Option<String>, expected: String },
    /// A pattern of earlier groups is in force although no recipe has a group.
    #[error("no recipe asked for groups by `{pattern}`; a plan that prunes removes the pattern")]
    EarlierGroups { pattern: String },
    /// `unhosted` of the `tablets` of a group are on no server.
    #[error(
        "group `{group}`: {} of {} tablets are on no server",
        Grouped::new(*.unhosted),
        Grouped::new(*.tablets)
    )]
    Unhosted { group: String, tablets: usize, unhosted: usize },
    /// The `tablets` of a group are not spread over the servers: `least` is the smallest number on
    /// a server, `largest` the largest.
    #[error(
        "group `{group}`: a server holds {} of its {} tablets, another {}",
        Grouped::new(*.largest),
        Grouped::new(*.tablets),
        Grouped::new(*.least)
    )]
    NotSpread { group: String, tablets: usize, least: usize, largest: usize },
    /// `rows` of the `total` rows of the table belong to no recipe; `first` is the first of them.
    #[error("rows of no recipe: {} of {}, the first is `{first}`", Grouped(*.rows), Grouped(*.total))]
    OtherRows { rows: u64, total: u64, first: String },
    /// A tablet is too full, with the rows of `recipe` or, if that is `None`, with rows of no
    /// recipe. `load` covers the tablets with these rows.
    #[error("{}: {load}", .recipe.as_deref().unwrap_or("rows of no recipe"))]
    HotTablet { recipe: Option<String>, load: Load },
    /// `rows` under the prefix of a recipe are not keys of it; `first` is the first of them.
    #[error("{recipe}: rows that are not its keys: {}, the first is `{first}`", Grouped(*.rows))]
    ForeignRows { recipe: String, rows: u64, first: String },
    /// `rows` of a recipe are written in an earlier design, of the `total` in all of its designs.
    #[error("{recipe}: rows of an earlier design: {} of {}; migrate them", Grouped(*.rows), Grouped(*.total))]
    EarlierDesigns { recipe: String, rows: u64, total: u64 },
    /// The `rows` of a recipe are not spread evenly over its hashes or salts: `p_value` is the
    /// chance that evenly hashed rows are at least as uneven.
    #[error("{recipe}: its {} rows are not spread evenly ({})", Grouped(*.rows), chance(*.p_value))]
    UnevenHash { recipe: String, rows: u64, p_value: f64 },
    /// A server is too full; `load` covers all servers.
    #[error("{load}")]
    HotServer { load: Load },
    /// Split points of no recipe take tablets of a recipe out of its group.
    #[error("{recipe}: {} outside its group{}", split_points(.splits), first_of(.splits))]
    StraySplits { recipe: String, splits: Vec<String> },
    /// The rows could not be counted, because the user may not read them; `cause` is the reason.
    #[error("the rows could not be counted: {cause}")]
    RowsDenied { cause: String },
    /// Evenness is required but not proved.
    #[error("evenness is required, but not proved: {because}")]
    Unproved { because: Unproved },
    /// There are split points of no recipe.
    #[error("{} not part of any recipe{}", split_points(.splits), first_of(.splits))]
    ExtraSplits { splits: Vec<String> },
}

impl Difference {
    /// Checks whether both are the same difference, possibly with other figures: the kind, and the
    /// recipe, group, server or property that they concern.
    pub fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.subject() == other.subject()
    }

    fn subject(&self) -> Option<&str> {
        match self {
            Self::Property { name, .. } => Some(name),
            Self::Unhosted { group, .. } | Self::NotSpread { group, .. } => Some(group),
            Self::ForeignRows { recipe, .. }
            | Self::EarlierDesigns { recipe, .. }
            | Self::UnevenHash { recipe, .. }
            | Self::StraySplits { recipe, .. } => Some(recipe),
            Self::HotTablet { recipe, .. } => recipe.as_deref(),
            Self::HotServer { load } => match &load.fullest {
                Some(Place::Server(server)) => Some(server),
                _ => None,
            },
            _ => None,
        }
    }

    /// Checks whether a tablet or a server is too full.
    pub fn is_hot(&self) -> bool {
        matches!(self, Self::HotTablet { .. } | Self::HotServer { .. })
    }

    /// Checks whether it concerns the split points, the balancer or the placement of the tablets.
    pub(super) fn is_of_layout(&self) -> bool {
        matches!(
            self,
            Self::MissingSplits { .. }
                | Self::NoGroupBalancer { .. }
                | Self::BalancerNotLoaded { .. }
                | Self::Property { .. }
                | Self::EarlierGroups { .. }
                | Self::Unhosted { .. }
                | Self::NotSpread { .. }
                | Self::StraySplits { .. }
                | Self::ExtraSplits { .. }
        )
    }
}

/// A reason why evenness is not proved. Its text is a clause for an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Unproved {
    /// The table has no rows.
    #[error("it has no rows")]
    NoRows,
    /// Rows were not counted: the figures are the tablets' entries.
    #[error("its rows were not counted and their keys not checked")]
    RowsNotCounted,
    /// A recipe has so few rows that chance could make a tablet too full.
    #[error("{recipe} has too few rows to tell ({})", Grouped(*.rows))]
    TooFewRows {
        /// The recipe.
        recipe: String,
        /// The number of its rows.
        rows: u64,
    },
    /// The entries of the tablets show a place that is too full, and the rows that were read do
    /// not. Other entries need other authorizations, are deleted, or belong to rows with many
    /// cells.
    #[error("{place} has {} of {} entries, although rows are even (labels, deleted cells or long rows)", Grouped(*.entries), Grouped(*.total))]
    UnevenEntries {
        /// The fullest place.
        place: Place,
        /// The number of its entries.
        entries: u64,
        /// The number of entries of all places.
        total: u64,
    },
}

fn split_points(splits: &[String]) -> String {
    match splits {
        [one] => format!("the split point `{one}` is"),
        many => format!("{} are", counted(many.len(), "split point")),
    }
}

fn first_of(splits: &[String]) -> String {
    match splits {
        [first, _, ..] => format!(", the first is `{first}`"),
        _ => String::new(),
    }
}

/// Formats a chance; one that would be rounded to 0 is shown as a bound.
fn chance(p_value: f64) -> String {
    if p_value < 1e-300 { "p below 1e-300".to_owned() } else { format!("p = {p_value:.1e}") }
}
