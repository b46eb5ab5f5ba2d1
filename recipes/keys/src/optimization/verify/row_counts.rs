//! The count of the rows of one recipe.

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Escaped, Tablet, Tablets};

use super::super::TableRequirement;
use super::by_design::ByDesign;
use super::copies::{Copies, Epoch};
use super::evenness;
use super::parts::Parts;
use super::rows::{RowsVerdict, UniformityTest};
use super::scale::{Scale, Whole};
use crate::chi_square::ChiSquare;

/// A counter of the rows of one recipe, which receives them in order.
pub(super) struct Tally<'a> {
    requirement: &'a TableRequirement,
    tablets: &'a Tablets,
    /// The tablets that can hold rows of the recipe, as indices into the tablets of the table.
    own: RangeInclusive<usize>,
    in_tablets: Vec<u64>,
    at_planned: usize,
    /// The counts for the test of evenness, by planned tablet.
    in_planned: Vec<u64>,
    parts: Option<Parts>,
    /// The user's row of the current key.
    row: Vec<u8>,
    in_earlier_designs: u64,
    copies: Copies,
    foreign: u64,
    first_foreign: Option<String>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(requirement: &'a TableRequirement, tablets: &'a Tablets) -> Self {
        let own = requirement.tablets_in(tablets);
        let planned = requirement.planned_tablets();
        let is_of_parts = UniformityTest::of(requirement) == UniformityTest::SaltedParts;
        Self {
            requirement,
            tablets,
            in_tablets: vec![0; own.clone().count()],
            own,
            at_planned: 0,
            in_planned: vec![0; planned],
            parts: is_of_parts.then(Parts::default),
            row: Vec::new(),
            in_earlier_designs: 0,
            copies: Copies::default(),
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

    /// Counts a stored row that begins with the prefix of the recipe; `tablet` is its tablet.
    pub(super) fn add(&mut self, key: &Bytes, tablet: usize) {
        self.row.clear();
        let design = self.requirement.design.as_ref();
        if design.is_some_and(|design| design.decode_key_to(key, &mut self.row).is_err()) {
            let earlier = &self.requirement.earlier;
            if let Some(row) = earlier
                .iter()
                .find_map(|design| design.decode_key(key).ok())
            {
                self.in_earlier_designs += 1;
                self.copies.add(&row, Epoch::Earlier);
                return;
            }
            self.foreign += 1;
            self.first_foreign
                .get_or_insert_with(|| Escaped(key).to_string());
            return;
        }
        if !self.requirement.earlier.is_empty() {
            self.copies.add(&self.row, Epoch::Newest);
        }
        self.advance_to(key);
        let place = tablet.saturating_sub(*self.own.start());
        if let Some(count) = self.in_tablets.get_mut(place) {
            *count += 1;
        }
        let is_counted = match (&mut self.parts, design) {
            (Some(parts), Some(design)) => parts.is_new(design, key, &self.row, place),
            _ => true,
        };
        if let (true, Some(count)) = (is_counted, self.in_planned.get_mut(self.at_planned)) {
            *count += 1;
        }
    }

    /// Advances to the planned tablet of a key.
    fn advance_to(&mut self, key: &Bytes) {
        let splits = &self.requirement.splits;
        while splits.get(self.at_planned).is_some_and(|end| end < key) {
            self.at_planned += 1;
        }
    }

    /// Returns the verdict over the counted rows.
    pub(super) fn counted_rows(mut self, scale: Scale) -> RowsVerdict {
        let parts = self.parts.take();
        let shares = self.requirement.compared_shares();
        let test = ChiSquare::new(&self.in_planned, shares);
        RowsVerdict {
            counted: true,
            salted_parts: parts.as_ref().map(|_| self.in_planned.iter().sum()),
            hot_part: parts.and_then(Parts::hottest),
            chi_square: test.map(|test| test.statistic),
            p_value: test.map(|test| test.p_value),
            uneven_share: evenness::misplaced(&self.in_planned, shares),
            in_earlier_designs: self.in_earlier_designs,
            in_both_designs: self.copies.count(),
            foreign: self.foreign,
            first_foreign: self.first_foreign.take(),
            ..self.verdict(&self.in_tablets, scale)
        }
    }

    /// Returns the verdict over the contents of the recipe's tablets, of all rows; `all` are the
    /// counts of all tablets.
    pub(super) fn of_counts(self, all: &[u64], scale: Scale) -> RowsVerdict {
        self.verdict(all.get(self.tablets()).unwrap_or_default(), scale)
    }

    fn verdict(&self, counts: &[u64], scale: Scale) -> RowsVerdict {
        let design = ByDesign::of(self.requirement);
        let whole = Whole {
            places: design.tablets(),
            total: counts.iter().sum(),
        };
        let counted = self.own().iter().zip(counts.iter().copied());
        let shares = design.of_tablets(self.own());
        let load = scale.of_tablets(whole, counted.zip(shares));
        let load = match self.requirement.is_transient {
            true => load.not_compared(),
            false => load,
        };
        RowsVerdict::of_counts(self.requirement, counts, load)
    }

    fn own(&self) -> &'a [Tablet] {
        let tablets = self.tablets.as_slice();
        tablets.get(self.tablets()).unwrap_or_default()
    }
}
