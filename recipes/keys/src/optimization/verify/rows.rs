//! The number of rows of each recipe in its tablets.

use serde::Serialize;

use super::difference::Difference;
use super::load::Load;
use crate::chi_square::ChiSquare;
use crate::number::float;

/// The smallest statistic, as a part of the number of rows, that makes an uneven hash a difference.
/// It is reached if a tenth of the rows are in the wrong tablets. With enough rows the test
/// distinguishes a hash that is slightly uneven, such as Java's `String.hashCode` of consecutive
/// numbers, from an even one, but no tablet is hot by it.
const MIN_STATISTIC: f64 = 0.04;

/// The distribution of the rows of one recipe over its tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowsVerdict {
    /// The recipe.
    pub recipe: String,
    /// The load of its tablets, by the rows of the recipe. If rows were not counted, by all entries
    /// of the tablets that can hold its rows.
    #[serde(flatten)]
    pub load: Load,
    /// The smallest number in a tablet.
    pub least: u64,
    /// The test of the rows in each planned tablet against its expected share. `None` if there are
    /// too few rows, no expected shares, or rows that share a salt by design.
    pub chi_square: Option<ChiSquare>,
    /// The number of rows that are still written in an earlier design of the recipe.
    pub in_earlier_designs: u64,
    /// The number of rows under the prefix of the recipe that are not keys of its designs.
    pub foreign: u64,
    /// The first of those, escaped.
    pub first_foreign: Option<String>,
}

impl RowsVerdict {
    pub(super) fn differences(&self) -> impl Iterator<Item = Difference> {
        let recipe = || self.recipe.clone();
        let foreign = self.first_foreign.as_ref().map(|first| Difference::ForeignRows {
            recipe: recipe(),
            rows: self.foreign,
            first: first.clone(),
        });
        let earlier = (self.in_earlier_designs > 0).then(|| Difference::EarlierDesigns {
            recipe: recipe(),
            rows: self.in_earlier_designs,
            total: self.load.total + self.in_earlier_designs,
        });
        // A migration moves rows in the order of their keys, so they are uneven until it ends.
        let is_uneven = |test: &ChiSquare| {
            test.p_value < ChiSquare::MIN_P_VALUE
                && test.statistic >= MIN_STATISTIC * float(self.load.total)
                && self.in_earlier_designs == 0
        };
        let uneven = self.chi_square.filter(is_uneven);
        let uneven = uneven.map(|test| Difference::UnevenHash {
            recipe: recipe(),
            rows: self.load.total,
            p_value: test.p_value,
        });
        let hot = self
            .load
            .is_too_full()
            .then(|| Difference::HotTablet { recipe: Some(recipe()), load: self.load.clone() });
        [foreign, earlier, uneven, hot].into_iter().flatten()
    }
}
