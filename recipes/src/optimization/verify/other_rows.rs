//! Rows that belong to no recipe.

use fluo_core::Tablets;
use serde::Serialize;

use super::census::Census;
use super::finding::{Finding, Stage};
use super::load::{FullestTablet, TabletLoad};
use super::options::OtherRows;
use super::rows::RowsVerdict;
use super::scale::{Places, Scale};
use super::sentences;
use crate::number::{grouped, share};

/// Rows that begin with the prefix of no recipe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherRowsVerdict {
    /// Whether they pass.
    pub allowed: bool,
    /// Whether rows were counted. If not, the figures are the entries of tablets that can hold no row of a recipe.
    pub counted: bool,
    /// The number of them.
    pub rows: u64,
    /// Their share of all rows of the table, from 0 to 1.
    pub share: f64,
    /// The first of them, escaped.
    pub first: Option<String>,
    /// The number of them in the tablet that holds the most.
    pub most: u64,
    /// The tablet that holds the most of them, held against the mean of the table.
    pub load: TabletLoad,
}

impl OtherRowsVerdict {
    pub(super) fn new(
        allowed: OtherRows,
        census: &Census,
        tablets: &Tablets,
        (scale, table): (Scale, Places),
    ) -> Self {
        let rows = census.others.iter().sum();
        let counts = tablets.as_slice().iter().zip(census.others.iter().copied());
        let load = scale.of_tablets(table, census.total(), counts);
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

    pub(super) fn finding(&self, recipes: &[RowsVerdict]) -> Option<Finding> {
        if self.counted && self.rows > 0 && !self.allowed {
            return Some(self.refused(recipes));
        }
        let TabletLoad { load, fullest } = &self.load;
        let tablet = fullest.as_ref().filter(|_| load.is_too_full())?;
        let unit = sentences::unit(self.counted);
        let told = format!(
            "{unit} of no recipe: {} holds {} of them, {} times the mean of the table ({} {unit} in {} tablets); the \
             limit is {}{}",
            tablet.name(),
            grouped(self.most),
            sentences::skew(load),
            grouped(load.total),
            load.places,
            sentences::limit(load),
            sentences::hint(self.counted)
        );
        Some(Finding::new(Stage::OtherLoad, load.excess(), told))
    }

    fn refused(&self, recipes: &[RowsVerdict]) -> Finding {
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
        let told = match self.rows {
            1 => {
                format!("1 row ({of_the_table} of the table) belongs to no recipe: it is `{first}`")
            }
            rows => {
                let tablet = self.load.fullest.as_ref();
                format!(
                    "{} rows ({of_the_table} of the table) belong to no recipe, the first is `{first}`; {} holds {} of \
                     them",
                    grouped(rows),
                    tablet.map_or_else(String::new, FullestTablet::name),
                    grouped(self.most)
                )
            }
        };
        Finding::new(Stage::OtherRows, self.share, cause + &told)
    }
}
