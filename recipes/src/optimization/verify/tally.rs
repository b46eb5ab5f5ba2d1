//! Counting the rows of one recipe.

use std::collections::HashSet;
use std::hash::BuildHasher;

use fluo_core::{Bytes, Escaped, Tablets};
use foldhash::quality::FixedState;

use super::super::Contribution;
use super::evenness;
use super::rows::{EvennessOf, RowsVerdict};
use crate::key_design::KeyDesign;

/// Most salted parts of one salt that are remembered, a few bytes each: a bound on memory. Past it one whose rows do
/// not follow each other may be counted twice.
const MOST_PARTS: usize = 1 << 20;

/// Counts rows as they come, in order, so that finding a row's tablet is a step and not a search.
pub(super) struct Tally<'a> {
    contribution: &'a Contribution,
    tablets: &'a Tablets,
    /// The tablets that can hold rows of the recipe, as indices of the table's.
    first_tablet: usize,
    last_tablet: usize,
    at_tablet: usize,
    in_tablets: Vec<u64>,
    at_planned: usize,
    /// What the test of evenness is about, by planned tablet.
    in_planned: Vec<u64>,
    parts: Option<Parts>,
    /// The user's row of the key that is looked at.
    row: Vec<u8>,
    rows: u64,
    in_earlier_designs: u64,
    foreign: u64,
    first_foreign: Option<String>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(contribution: &'a Contribution, tablets: &'a Tablets) -> Self {
        let first_tablet = tablets.index_of(&contribution.prefix);
        let last_tablet = match contribution.last_end_row() {
            Some(end_row) => tablets.index_of(&end_row).max(first_tablet),
            None => tablets.as_slice().len().saturating_sub(1),
        };
        let planned = contribution.splits.len() + 1;
        Self {
            contribution,
            tablets,
            first_tablet,
            last_tablet,
            at_tablet: first_tablet,
            in_tablets: vec![0; last_tablet - first_tablet + 1],
            at_planned: 0,
            in_planned: vec![0; contribution.shares.as_ref().map_or(planned, Vec::len)],
            parts: None,
            row: Vec::new(),
            rows: 0,
            in_earlier_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
        .with_parts()
    }

    /// Counts salted parts, where that is what falls evenly.
    fn with_parts(mut self) -> Self {
        let verdict = RowsVerdict::of_counts(self.contribution, &[]);
        if verdict.evenness_of == EvennessOf::SaltedParts {
            self.parts = Some(Parts::default());
        }
        self
    }

    pub(super) fn contribution(&self) -> &'a Contribution {
        self.contribution
    }

    /// The rows so far that are keys of the recipe.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Counts a stored row.
    pub(super) fn add(&mut self, key: &Bytes) {
        self.row.clear();
        let design = self.contribution.design.as_ref();
        if design.is_some_and(|design| design.remove_to(key, &mut self.row).is_err()) {
            let earlier = &self.contribution.earlier;
            if earlier.iter().any(|design| design.remove(key).is_ok()) {
                self.in_earlier_designs += 1;
                return;
            }
            self.foreign += 1;
            self.first_foreign
                .get_or_insert_with(|| Escaped(key).to_string());
            return;
        }
        self.rows += 1;
        self.advance_to(key);
        if let Some(count) = self.in_tablets.get_mut(self.at_tablet - self.first_tablet) {
            *count += 1;
        }
        let is_counted = match (&mut self.parts, design) {
            (Some(parts), Some(design)) => parts.is_new(design, key, &self.row),
            _ => true,
        };
        if let (true, Some(count)) = (is_counted, self.in_planned.get_mut(self.at_planned)) {
            *count += 1;
        }
    }

    /// Goes on to the tablet, and to the planned tablet, of a key.
    fn advance_to(&mut self, key: &Bytes) {
        let ends_before = |end_row: Option<&Bytes>| end_row.is_some_and(|end| end < key);
        let tablets = self.tablets.as_slice();
        let end_row = |index: usize| {
            tablets
                .get(index)
                .and_then(|tablet| tablet.end_row.as_ref())
        };
        while ends_before(end_row(self.at_tablet)) {
            self.at_tablet += 1;
        }
        while ends_before(self.contribution.splits.get(self.at_planned)) {
            self.at_planned += 1;
        }
    }

    /// The verdict over the rows that were counted.
    pub(super) fn counted_rows(self) -> RowsVerdict {
        let shares = self.contribution.shares.as_deref().unwrap_or_default();
        let test = evenness::chi_square(&self.in_planned, shares);
        RowsVerdict {
            counted: true,
            salted_parts: self.parts.map(|_| self.in_planned.iter().sum()),
            chi_square: test.map(|(statistic, _)| statistic),
            p_value: test.map(|(_, p_value)| p_value),
            in_earlier_designs: self.in_earlier_designs,
            foreign: self.foreign,
            first_foreign: self.first_foreign,
            ..RowsVerdict::of_counts(self.contribution, &self.in_tablets)
        }
    }

    /// The verdict where no rows were counted.
    pub(super) fn entries_of_tablets(self) -> RowsVerdict {
        let own = self
            .tablets
            .as_slice()
            .get(self.first_tablet..=self.last_tablet)
            .unwrap_or_default();
        let entries: Vec<_> = own.iter().map(|tablet| tablet.entries).collect();
        RowsVerdict::of_counts(self.contribution, &entries)
    }
}

/// The salted parts that were seen under one salt. Rows of one part need not follow each other: between `a/1` and
/// `a/2` can lie `a-b/1`.
#[derive(Default)]
struct Parts {
    head: Vec<u8>,
    seen: HashSet<u64>,
}

impl Parts {
    /// Whether a row is the first of its part.
    fn is_new(&mut self, design: &KeyDesign, key: &[u8], row: &[u8]) -> bool {
        let head = design.head_of(key);
        if self.head != head || self.seen.len() >= MOST_PARTS {
            self.head.clear();
            self.head.extend_from_slice(head);
            self.seen.clear();
        }
        let Ok(Some(part)) = design.salted_part(row) else {
            return true;
        };
        self.seen
            .insert(FixedState::default().hash_one(part.as_ref()))
    }
}
