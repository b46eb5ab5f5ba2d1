//! The rows of one recipe: their count, and the figures that follow.

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Escaped, Tablet, Tablets};
use serde::Serialize;

use super::super::TableRequirement;
use super::difference::Difference;
use super::load::{Load, Part, Place, Scale};
use crate::chi_square::ChiSquare;
use crate::key_design::KeyDesign;
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

#[derive(Debug)]
pub(super) struct Tally<'a> {
    pub(super) requirement: &'a TableRequirement,
    /// The tablets that can hold rows of the recipe, as indices into the tablets of the table.
    pub(super) tablets: RangeInclusive<usize>,
    in_tablets: Vec<u64>,
    in_planned: Vec<u64>,
    in_earlier_designs: u64,
    foreign: u64,
    first_foreign: Option<String>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(requirement: &'a TableRequirement, tablets: &Tablets) -> Self {
        let tablets = requirement.tablets_in(tablets);
        Self {
            requirement,
            in_tablets: vec![0; tablets.clone().count()],
            tablets,
            in_planned: vec![0; requirement.planned_tablets()],
            in_earlier_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    pub(super) fn add_to(&mut self, tablet: usize, more: u64) {
        let place = tablet.saturating_sub(*self.tablets.start());
        if let Some(count) = self.in_tablets.get_mut(place) {
            *count += more;
        }
    }

    /// Returns the age of the design of a stored row: 0 is the newest. `None` if it has no design.
    pub(super) fn age(&self, key: &Bytes) -> Option<usize> {
        let Some(designs) = &self.requirement.designs else {
            return Some(0);
        };
        let epoch = designs.decode_key_to(key, &mut Vec::with_capacity(key.len())).ok()?;
        Some(designs.designs().len() - 1 - epoch)
    }

    /// Returns the age of the design of a row without the prefix of the recipe; `None` if it is not
    /// an earlier design of the recipe.
    pub(super) fn earlier_age(&self, key: &Bytes) -> Option<usize> {
        let designs = self.requirement.designs.as_ref()?;
        (designs.designs().len() > 1).then(|| self.age(key))?.filter(|age| *age > 0)
    }

    /// Counts a stored row that begins with the prefix of the recipe, or is of an earlier design,
    /// by the [age](Self::age) of its design.
    pub(super) fn add(&mut self, key: &Bytes, age: Option<usize>, tablet: usize) {
        match age {
            Some(0) => {}
            Some(_) => {
                self.in_earlier_designs += 1;
                return;
            }
            None => {
                self.foreign += 1;
                self.first_foreign.get_or_insert_with(|| Escaped(key).to_string());
                return;
            }
        }
        let splits = &self.requirement.splits;
        self.add_to(tablet, 1);
        let planned = splits.partition_point(|end| end < key);
        if let Some(count) = self.in_planned.get_mut(planned) {
            *count += 1;
        }
    }

    pub(super) fn verdict(&self, tablets: &Tablets, scale: Scale) -> RowsVerdict {
        let requirement = self.requirement;
        let tablets = tablets.as_slice().get(self.tablets.clone()).unwrap_or_default();
        let counts = self.in_tablets.iter().zip(shares(requirement, tablets));
        let parts = tablets.iter().zip(counts).map(|(tablet, (count, share))| Part {
            place: Place::from(tablet),
            count: *count,
            share,
        });
        let total = self.in_tablets.iter().sum();
        let load = scale.load(self.in_planned.len(), total, parts.collect());
        let design = requirement.design();
        // Rows that share a salted part are in one tablet by design.
        let keeps_rows_together = design.is_some_and(KeyDesign::keeps_rows_together);
        let is_tested = scale.counted && !requirement.is_transient && !keeps_rows_together;
        let shares = requirement.shares.as_deref().filter(|_| is_tested);
        RowsVerdict {
            recipe: requirement.owner.clone(),
            load: load.compared_if(!requirement.is_transient),
            least: self.in_tablets.iter().min().copied().unwrap_or_default(),
            chi_square: shares.and_then(|shares| ChiSquare::new(&self.in_planned, shares)),
            in_earlier_designs: self.in_earlier_designs,
            foreign: self.foreign,
            first_foreign: self.first_foreign.clone(),
        }
    }
}

impl RowsVerdict {
    pub(super) fn differences(&self) -> impl Iterator<Item = Difference> {
        let Self { recipe, load, in_earlier_designs, .. } = self;
        let (recipe, in_earlier_designs) = (|| recipe.clone(), *in_earlier_designs);
        let foreign = self.first_foreign.clone().map(|first| Difference::ForeignRows {
            recipe: recipe(),
            rows: self.foreign,
            first,
        });
        let earlier = (in_earlier_designs > 0).then(|| Difference::EarlierDesigns {
            recipe: recipe(),
            rows: in_earlier_designs,
            total: load.total + in_earlier_designs,
        });
        // A migration moves rows in the order of their keys, so they are uneven until it ends.
        let uneven = self.chi_square.filter(|test| {
            test.p_value < ChiSquare::MIN_P_VALUE
                && test.statistic >= MIN_STATISTIC * float(load.total)
                && in_earlier_designs == 0
        });
        let uneven = uneven.map(|test| Difference::UnevenHash {
            recipe: recipe(),
            rows: load.total,
            p_value: test.p_value,
        });
        let hot = load
            .is_too_full()
            .then(|| Difference::HotTablet { recipe: Some(recipe()), load: load.clone() });
        [foreign, earlier, uneven, hot].into_iter().flatten()
    }
}

/// Returns the share of each of the tablets of a recipe: that of the largest planned tablet that it
/// covers. So a missing split point does not raise its share, and an extra one does not lower it.
/// A share of 0 counts as the smallest other one.
fn shares(requirement: &TableRequirement, tablets: &[Tablet]) -> Vec<f64> {
    let splits = &requirement.splits;
    let last = requirement.planned_tablets().saturating_sub(1);
    let weights = requirement.shares.clone().unwrap_or_else(|| vec![1; last + 1]);
    let least = weights.iter().copied().filter(|weight| *weight > 0).min();
    let all = float(weights.iter().sum());
    let share = |weight: &u64| float(least.unwrap_or(1).max(*weight)) / all;
    let planned: Vec<_> = weights.iter().map(share).collect();
    let mut first = 0;
    let share = |tablet: &Tablet| {
        let end_row = tablet.end_row.as_ref();
        let end = end_row.map_or(last, |row| splits.partition_point(|split| split < row));
        let covered = planned.get(first.min(last)..=end.min(last));
        first = end_row.map_or(last, |row| splits.partition_point(|split| split <= row));
        covered.unwrap_or_default().iter().copied().fold(0.0, f64::max)
    };
    tablets.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(end_rows: &[&'static str]) -> Vec<Tablet> {
        let end_rows = end_rows.iter().map(|row| Some(Bytes::from(*row)));
        let tablet = |end_row| Tablet { end_row, server: None, entries: 0 };
        end_rows.chain([None]).map(tablet).collect()
    }

    #[test]
    fn a_tablet_has_the_share_of_the_largest_planned_tablet_that_it_covers() {
        let splits = ["d", "h", "p"].map(Bytes::from);
        let builder = TableRequirement::builder("queue").splits(splits);
        let requirement = builder.shares([5, 1, 2, 2]).build().unwrap();
        for (end_rows, expected) in [
            (&["d", "h", "p"][..], &[0.5, 0.1, 0.2, 0.2][..]),
            (&["b", "d", "f", "g", "h", "p", "z"], &[0.5, 0.5, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2]),
            (&["h", "p"], &[0.5, 0.2, 0.2]),
            (&["f", "k"], &[0.5, 0.2, 0.2]),
            (&[], &[0.5]),
        ] {
            assert_eq!(shares(&requirement, &ending(end_rows)), expected, "{end_rows:?}");
        }
    }
}
