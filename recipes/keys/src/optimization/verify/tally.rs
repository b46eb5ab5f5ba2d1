//! The count of the rows of one recipe.

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Escaped, Tablet, Tablets};

use super::super::TableRequirement;
use super::load::{Part, Place, Scale};
use super::rows::RowsVerdict;
use crate::chi_square::ChiSquare;
use crate::key_design::KeyDesign;
use crate::number::float;

/// A counter of the rows of one recipe, which receives them in order.
#[derive(Debug)]
pub(super) struct Tally<'a> {
    requirement: &'a TableRequirement,
    tablets: &'a Tablets,
    /// The tablets that can hold rows of the recipe, as indices into the tablets of the table.
    own: RangeInclusive<usize>,
    in_tablets: Vec<u64>,
    at_planned: usize,
    /// The number of rows in each planned tablet.
    in_planned: Vec<u64>,
    /// The user's row of the current key.
    row: Vec<u8>,
    in_earlier_designs: u64,
    foreign: u64,
    first_foreign: Option<String>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(requirement: &'a TableRequirement, tablets: &'a Tablets) -> Self {
        let own = requirement.tablets_in(tablets);
        Self {
            requirement,
            tablets,
            in_tablets: vec![0; own.clone().count()],
            own,
            at_planned: 0,
            in_planned: vec![0; requirement.planned_tablets()],
            row: Vec::new(),
            in_earlier_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    pub(super) fn requirement(&self) -> &'a TableRequirement {
        self.requirement
    }

    /// Returns the tablets that can hold rows of the recipe, as indices into the tablets of the
    /// table.
    pub(super) fn tablets(&self) -> RangeInclusive<usize> {
        self.own.clone()
    }

    /// Adds rows, or entries, of one of these tablets.
    pub(super) fn add_to(&mut self, tablet: usize, more: u64) {
        let place = tablet.saturating_sub(*self.own.start());
        if let Some(count) = self.in_tablets.get_mut(place) {
            *count += more;
        }
    }

    /// Counts a stored row that begins with the prefix of the recipe.
    pub(super) fn add(&mut self, key: &Bytes, tablet: usize) {
        self.row.clear();
        let design = self.requirement.design.as_ref();
        if design.is_some_and(|design| design.decode_key_to(key, &mut self.row).is_err()) {
            let mut earlier = self.requirement.earlier.iter();
            if earlier.any(|design| design.decode_key(key).is_ok()) {
                self.in_earlier_designs += 1;
                return;
            }
            self.foreign += 1;
            self.first_foreign.get_or_insert_with(|| Escaped(key).to_string());
            return;
        }
        self.add_to(tablet, 1);
        let splits = &self.requirement.splits;
        while splits.get(self.at_planned).is_some_and(|end| end < key) {
            self.at_planned += 1;
        }
        if let Some(count) = self.in_planned.get_mut(self.at_planned) {
            *count += 1;
        }
    }

    pub(super) fn verdict(&self, scale: Scale) -> RowsVerdict {
        let requirement = self.requirement;
        let tablets = self.tablets.as_slice().get(self.tablets());
        let tablets = tablets.unwrap_or_default();
        let counts = self.in_tablets.iter().zip(shares(requirement, tablets));
        let parts = tablets.iter().zip(counts);
        let parts = parts.map(|(tablet, (count, share))| Part {
            place: Place::of_tablet(tablet),
            count: *count,
            share,
        });
        let total = self.in_tablets.iter().sum();
        let load = scale.load(self.in_planned.len(), total, parts.collect());
        let design = requirement.design.as_ref();
        // Rows that share a salted part are in one tablet by design.
        let is_tested = scale.counted && !design.is_some_and(KeyDesign::keeps_rows_together);
        let chi_square = ChiSquare::new(&self.in_planned, requirement.compared_shares());
        RowsVerdict {
            recipe: requirement.owner.clone(),
            load: load.compared_if(!requirement.is_transient),
            least: self.in_tablets.iter().min().copied().unwrap_or_default(),
            chi_square: chi_square.filter(|_| is_tested),
            in_earlier_designs: self.in_earlier_designs,
            foreign: self.foreign,
            first_foreign: self.first_foreign.clone(),
        }
    }
}

/// Returns the share of each of the tablets of a recipe: that of the largest planned tablet that it
/// covers. So a missing split point does not raise its share, and an extra one does not lower it.
/// A share of 0 counts as the smallest other one.
fn shares(requirement: &TableRequirement, tablets: &[Tablet]) -> Vec<f64> {
    let splits = &requirement.splits;
    let last = requirement.planned_tablets().saturating_sub(1);
    let weights = requirement.shares.clone();
    let weights = weights.unwrap_or_else(|| vec![1; last + 1]);
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
