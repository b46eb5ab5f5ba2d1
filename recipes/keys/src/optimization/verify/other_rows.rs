//! Rows that belong to no recipe.

use fluo_table::Grouped;
use serde::Serialize;

use super::census::Census;
use super::difference::{Difference, DifferenceKind};
use super::load::{FullestTablet, TabletLoad};
use super::look::Look;
use super::options::OtherRows;
use super::rows::RowsVerdict;
use super::sentences;
use crate::number::share;

/// The subject of differences of these rows.
const OTHERS: &str = "rows of no recipe";

/// The rows that begin with the prefix of no recipe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherRowsVerdict {
    /// `true` if they are accepted.
    pub allowed: bool,
    /// `true` if rows were counted. If not, the figures are the entries of tablets that can hold no
    /// row of a recipe.
    pub counted: bool,
    /// The number of these rows.
    pub rows: u64,
    /// The share of all rows of the table, from 0 to 1.
    pub share: f64,
    /// The first of them, escaped.
    pub first: Option<String>,
    /// The number in the tablet with most of them.
    pub most: u64,
    /// The tablet with most of them, compared with the mean of the table.
    pub load: TabletLoad,
}

impl OtherRowsVerdict {
    pub(super) fn new(allowed: OtherRows, look: &Look<'_>, census: &Census) -> Self {
        let rows = census.others.iter().sum();
        let counts = look.with_counts(&census.others);
        let load = look.scale.of_even_tablets(census.whole(look), counts);
        let load = look.judged(load);
        Self {
            allowed: allowed == OtherRows::Allowed,
            counted: census.counts_rows,
            rows,
            share: share(rows, census.total()),
            first: census.first_other.clone(),
            most: load.load.largest,
            load,
        }
    }

    pub(super) fn finding(&self, recipes: &[RowsVerdict]) -> Option<Difference> {
        if self.counted && self.rows > 0 && !self.allowed {
            return Some(self.refused(recipes));
        }
        let TabletLoad { load, fullest } = &self.load;
        let tablet = fullest.as_ref().filter(|_| load.is_too_full())?;
        let unit = sentences::unit(self.counted);
        let sentence = format!(
            "{unit} of no recipe: {} holds {} of them, {} times the mean of the table ({} {unit} in {} tablets); the \
             limit is {}{}",
            tablet.name(),
            Grouped(self.most),
            sentences::skew(load),
            Grouped(load.total),
            load.places,
            sentences::limit(load),
            sentences::hint(self.counted)
        );
        Some(
            Difference::new(DifferenceKind::OtherLoad, OTHERS, load.excess(), sentence)
                .of_load(load),
        )
    }

    fn refused(&self, recipes: &[RowsVerdict]) -> Difference {
        let is_missing = |recipe: &&RowsVerdict| {
            recipe.total == 0 && recipe.foreign == 0 && recipe.in_earlier_designs == 0
        };
        let missing: Vec<_> = recipes
            .iter()
            .filter(is_missing)
            .map(|recipe| recipe.recipe.as_str())
            .collect();
        let cause = match missing.as_slice() {
            [] => String::new(),
            missing => format!(
                "no row of the table has a key of {}: were they written without it? ",
                missing.join(" or ")
            ),
        };
        let all = self.load.load.total;
        let of_the_table = sentences::percent(self.rows, all);
        let first = self.first.as_deref().unwrap_or_default();
        let sentence = match self.rows {
            1 => {
                format!("1 row ({of_the_table} of the table) belongs to no recipe: it is `{first}`")
            }
            rows => {
                let tablet = self.load.fullest.as_ref();
                format!(
                    "{} rows ({of_the_table} of the table) belong to no recipe, the first is `{first}`; {} holds {} of \
                     them",
                    Grouped(rows),
                    tablet.map_or_else(String::new, FullestTablet::name),
                    Grouped(self.most)
                )
            }
        };
        Difference::new(
            DifferenceKind::OtherRows,
            OTHERS,
            self.share,
            cause + &sentence,
        )
    }
}
