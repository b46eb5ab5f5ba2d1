//! Counting the rows of one recipe.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::ops::RangeInclusive;

use fluo_core::{Bytes, Escaped, Tablet, Tablets};
use foldhash::quality::FixedState;

use super::super::Contribution;
use super::evenness;
use super::rows::{EvennessOf, HotPart, RowsVerdict};
use super::scale::{Places, Scale};
use crate::heavy_hitters::HeavyHitters;
use crate::key_design::KeyDesign;

/// Most salted parts of one salt that are remembered, a few bytes each: a bound on memory. Past it one whose rows do
/// not follow each other may be counted twice.
const MOST_PARTS: usize = 1 << 20;

/// Counts the rows of one recipe as they come, in order.
pub(super) struct Tally<'a> {
    contribution: &'a Contribution,
    tablets: &'a Tablets,
    /// The tablets that can hold rows of the recipe, as indices of the table's.
    first_tablet: usize,
    last_tablet: usize,
    in_tablets: Vec<u64>,
    at_planned: usize,
    /// What the test of evenness is about, by planned tablet.
    in_planned: Vec<u64>,
    parts: Option<Parts>,
    /// The user's row of the key that is looked at.
    row: Vec<u8>,
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
        let planned = contribution.planned_tablets();
        let is_of_parts = EvennessOf::of(contribution) == EvennessOf::SaltedParts;
        Self {
            contribution,
            tablets,
            first_tablet,
            last_tablet,
            in_tablets: vec![0; last_tablet - first_tablet + 1],
            at_planned: 0,
            in_planned: vec![0; planned],
            parts: is_of_parts.then(Parts::default),
            row: Vec::new(),
            in_earlier_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    pub(super) fn contribution(&self) -> &'a Contribution {
        self.contribution
    }

    /// The tablets that can hold rows of the recipe, as indices of the table's.
    pub(super) fn tablets(&self) -> RangeInclusive<usize> {
        self.first_tablet..=self.last_tablet
    }

    /// Counts a stored row that begins with the prefix of the recipe and lies in a tablet of the table.
    pub(super) fn add(&mut self, key: &Bytes, tablet: usize) {
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
        self.advance_to(key);
        let place = tablet.saturating_sub(self.first_tablet);
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
        let splits = &self.contribution.splits;
        while splits.get(self.at_planned).is_some_and(|end| end < key) {
            self.at_planned += 1;
        }
    }

    /// The verdict over the rows that were counted.
    pub(super) fn counted_rows(mut self, scale: Scale) -> RowsVerdict {
        let parts = self.parts.take();
        let shares = self.contribution.shares.as_deref().unwrap_or_default();
        let test = evenness::chi_square(&self.in_planned, shares);
        RowsVerdict {
            counted: true,
            salted_parts: parts.as_ref().map(|_| self.in_planned.iter().sum()),
            hot_part: parts.and_then(Parts::hottest),
            chi_square: test.map(|(statistic, _)| statistic),
            p_value: test.map(|(_, p_value)| p_value),
            uneven_share: evenness::misplaced(&self.in_planned, shares),
            in_earlier_designs: self.in_earlier_designs,
            foreign: self.foreign,
            first_foreign: self.first_foreign.take(),
            ..self.verdict(&self.in_tablets, scale)
        }
    }

    /// Returns the verdict over what the recipe's tablets hold, of whatever row; `all` are the counts of all tablets.
    pub(super) fn of_counts(self, all: &[u64], scale: Scale) -> RowsVerdict {
        self.verdict(all.get(self.tablets()).unwrap_or_default(), scale)
    }

    fn verdict(&self, counts: &[u64], scale: Scale) -> RowsVerdict {
        let places = match &self.contribution.shares {
            Some(shares) => Places::weighted(shares),
            None => Places::equal(self.contribution.planned_tablets()),
        };
        let counted = self.own().iter().zip(counts.iter().copied());
        let load = scale.of_tablets(places, counts.iter().sum(), counted);
        RowsVerdict::of_counts(self.contribution, counts, load)
    }

    fn own(&self) -> &'a [Tablet] {
        let tablets = self.tablets.as_slice();
        tablets.get(self.tablets()).unwrap_or_default()
    }
}

/// The salted parts that were seen under one salt. Rows of one part need not follow each other: between `a/1` and
/// `a/2` can lie `a-b/1`.
struct Parts {
    head: Vec<u8>,
    seen: HashSet<u64>,
    /// The tablet that rows come from, its rows so far, and the parts that most of them share.
    tablet: usize,
    rows: u64,
    hitters: HeavyHitters,
    /// The rows of the fullest tablet before that one, and the part that most of them share.
    fullest: (u64, Option<HotPart>),
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            head: Vec::new(),
            seen: HashSet::new(),
            tablet: 0,
            rows: 0,
            hitters: HeavyHitters::new(0),
            fullest: (0, None),
        }
    }
}

impl Parts {
    /// Counts the part of a row, and checks whether the row is the first of it.
    fn is_new(&mut self, design: &KeyDesign, key: &[u8], row: &[u8], tablet: usize) -> bool {
        let head = design.head_of(key);
        if self.head != head || self.seen.len() >= MOST_PARTS {
            self.head.clear();
            self.head.extend_from_slice(head);
            self.seen.clear();
        }
        if self.tablet != tablet {
            self.end_tablet();
            self.tablet = tablet;
        }
        self.rows += 1;
        let Ok(Some(part)) = design.salted_part(row) else {
            return true;
        };
        self.hitters.push(&part);
        self.seen
            .insert(FixedState::default().hash_one(part.as_ref()))
    }

    fn end_tablet(&mut self) {
        let hitters = std::mem::replace(&mut self.hitters, HeavyHitters::new(0));
        let rows = std::mem::take(&mut self.rows);
        if rows > self.fullest.0 {
            let hottest = hitters.at_least(1).into_iter().next();
            let part = hottest.map(|(part, rows)| HotPart {
                part: Escaped(&part).to_string(),
                rows,
            });
            self.fullest = (rows, part);
        }
    }

    /// The part that most rows of the fullest tablet share.
    fn hottest(mut self) -> Option<HotPart> {
        self.end_tablet();
        self.fullest.1
    }
}
