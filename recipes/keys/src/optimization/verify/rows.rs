//! The number of rows of each recipe in each tablet.

use fluo_table::Grouped;
use serde::Serialize;

use super::super::TableRequirement;
use super::difference::{Difference, DifferenceKind};
use super::load::TabletLoad;
use super::sentences;
use crate::chi_square::ChiSquare;
use crate::key_design::KeyDesign;
use crate::number::share;

/// The smallest share of misplaced rows that makes an uneven hash a difference. With enough rows
/// the test distinguishes a hash that is slightly uneven, such as Java's `String.hashCode` of
/// consecutive numbers, from an even one, but no tablet is hot by it.
const LEAST_MISPLACED: f64 = 0.1;

/// The unit of the test whether a recipe's rows are spread evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UniformityTest {
    /// Rows, each of which is placed independently.
    Rows,
    /// Different salted parts: rows that share one are in one tablet by design.
    SaltedParts,
    /// Nothing: there are no expected shares between the split points of the recipe.
    Nothing,
}

/// The distribution of the rows of one recipe over its tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowsVerdict {
    /// The recipe.
    pub recipe: String,
    /// The number of tablets that can hold its rows.
    pub tablets: usize,
    /// `true` if rows were counted. If not, the figures are the tablets' entries (cells, versions
    /// and delete markers of all recipes), and there is no p-value.
    pub counted: bool,
    /// The number of rows of the recipe, or of entries, in all of its tablets.
    pub total: u64,
    /// The smallest number in a tablet.
    pub least: u64,
    /// The largest number in a tablet.
    pub largest: u64,
    /// The load of its tablets.
    pub load: TabletLoad,
    /// The most frequent salted part of the rows of the fullest tablet, if parts were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot_part: Option<HotPart>,
    /// The unit of the test of evenness.
    pub evenness_of: UniformityTest,
    /// The number of different salted parts of the rows, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salted_parts: Option<u64>,
    /// Pearson's statistic of the counts and the expected share of each planned tablet.
    pub chi_square: Option<f64>,
    /// The chance of a statistic at least as large if rows fall evenly. `None` if there are too few
    /// rows, or no expected shares.
    pub p_value: Option<f64>,
    /// The share of the counted units that would have to move to be exactly as expected.
    #[serde(skip)]
    pub(super) uneven_share: f64,
    /// The number of rows that are still written in an earlier design of the recipe.
    pub in_earlier_designs: u64,
    /// The number of these that are written in the newest design too: a migration has copied them
    /// and not yet removed them.
    pub in_both_designs: u64,
    /// The number of rows under the prefix of the recipe that are not keys of its designs.
    pub foreign: u64,
    /// The first of those, escaped.
    pub first_foreign: Option<String>,
}

/// A salted part that many rows share, so that they are in one tablet whatever the salts are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HotPart {
    /// The part, escaped; of a longer one the first 256 bytes.
    pub part: String,
    /// The minimum number of rows of the tablet that have it.
    pub rows: u64,
}

impl UniformityTest {
    pub(super) fn of(requirement: &TableRequirement) -> Self {
        let design = requirement.design.as_ref();
        match requirement.compared_shares() {
            [] => Self::Nothing,
            _ if design.is_some_and(KeyDesign::keeps_rows_together) => Self::SaltedParts,
            _ => Self::Rows,
        }
    }
}

impl RowsVerdict {
    pub(super) fn of_counts(
        requirement: &TableRequirement,
        counts: &[u64],
        load: TabletLoad,
    ) -> Self {
        Self {
            recipe: requirement.owner.clone(),
            tablets: counts.len(),
            counted: false,
            total: counts.iter().sum(),
            least: counts.iter().min().copied().unwrap_or_default(),
            largest: counts.iter().max().copied().unwrap_or_default(),
            load,
            hot_part: None,
            evenness_of: UniformityTest::of(requirement),
            salted_parts: None,
            chi_square: None,
            p_value: None,
            uneven_share: 0.0,
            in_earlier_designs: 0,
            in_both_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    /// Checks whether the salts are proved to be even.
    fn has_even_hash(&self) -> bool {
        self.p_value
            .is_some_and(|p_value| p_value >= ChiSquare::LEAST_P_VALUE)
    }

    /// Returns the differences of a recipe in a table with this number of rows.
    pub(super) fn findings(
        &self,
        requirement: &TableRequirement,
        all_rows: u64,
    ) -> impl Iterator<Item = Difference> {
        [
            self.foreign_rows(requirement, all_rows),
            self.migrating(all_rows),
            self.uneven_hash(all_rows),
            self.too_full(all_rows),
        ]
        .into_iter()
        .flatten()
    }

    fn foreign_rows(&self, requirement: &TableRequirement, all_rows: u64) -> Option<Difference> {
        let (first, recipe, foreign) = (self.first_foreign.as_ref()?, &self.recipe, self.foreign);
        let place = if requirement.is_whole_table() {
            "in the table"
        } else {
            "under its prefix"
        };
        let sentence = match foreign {
            _ if self.total == 0 && self.in_earlier_designs == 0 => format!(
                "{recipe}: no row {place} has a key of it, the first of {} is `{first}`; were they written without it, \
                 or with other settings?",
                Grouped(foreign)
            ),
            1 => format!("{recipe}: 1 row {place} is not one of its keys: it is `{first}`"),
            some => format!(
                "{recipe}: {} rows {place} are not its keys, the first is `{first}`",
                Grouped(some)
            ),
        };
        let weight = share(foreign, all_rows);
        Some(Difference::new(
            DifferenceKind::ForeignRows,
            &self.recipe,
            weight,
            sentence,
        ))
    }

    fn migrating(&self, all_rows: u64) -> Option<Difference> {
        let (recipe, earlier) = (&self.recipe, self.in_earlier_designs);
        if earlier == 0 {
            return None;
        }
        let both = self.in_both_designs.min(self.total).min(earlier);
        let moved = self.total - both;
        let all = u128::from(moved) + u128::from(earlier);
        let permille = u128::from(moved) * 1_000 / all;
        let (rows_are, moves) = match all {
            1 => ("row is", "a migration moves it"),
            _ => ("rows are", "a migration moves them"),
        };
        let sentence = format!(
            "{recipe}: {} of {} {rows_are} still written in an earlier design ({}.{} % are moved); {moves}",
            Grouped(earlier),
            Grouped(u64::try_from(all).unwrap_or(u64::MAX)),
            permille / 10,
            permille % 10
        );
        let sentence = match both {
            0 => sentence,
            1 => format!("{sentence}; 1 is copied already and not yet removed"),
            both => format!(
                "{sentence}; {} are copied already and not yet removed",
                Grouped(both)
            ),
        };
        let weight = share(earlier, all_rows);
        Some(Difference::new(
            DifferenceKind::EarlierDesigns,
            &self.recipe,
            weight,
            sentence,
        ))
    }

    /// Checks whether chance does not explain the rows of the tablets, and fewer than a tenth of
    /// the rows are misplaced, so this is no difference.
    #[must_use]
    pub fn is_slightly_uneven(&self) -> bool {
        self.uneven_share < LEAST_MISPLACED && self.p_value_beyond_chance().is_some()
    }

    /// Returns the p-value if chance does not explain the rows of the tablets.
    fn p_value_beyond_chance(&self) -> Option<f64> {
        self.p_value
            .filter(|p_value| *p_value < ChiSquare::LEAST_P_VALUE)
    }

    fn uneven_hash(&self, all_rows: u64) -> Option<Difference> {
        // A migration moves rows in the order of their keys, so they are uneven until it ends.
        let is_reported = self.in_earlier_designs == 0 && self.uneven_share >= LEAST_MISPLACED;
        let p_value = self.p_value_beyond_chance().filter(|_| is_reported)?;
        let (recipe, total) = (&self.recipe, Grouped(self.total));
        let what = match self.salted_parts {
            None => format!("its {total} rows are not spread evenly over the hash space"),
            Some(parts) => format!(
                "the {} salted parts of its {total} rows are not spread evenly over the salts",
                Grouped(parts),
            ),
        };
        let sentence = format!("{recipe}: {what} ({})", sentences::p_value(p_value));
        let weight = self.uneven_share * share(self.total, all_rows);
        Some(Difference::new(
            DifferenceKind::UnevenHash,
            &self.recipe,
            weight,
            sentence,
        ))
    }

    fn too_full(&self, all_rows: u64) -> Option<Difference> {
        let TabletLoad { load, fullest } = &self.load;
        let tablet = fullest.as_ref().filter(|_| load.is_too_full())?;
        let sentence = format!(
            "{}: {}",
            self.recipe,
            sentences::too_full(&tablet.name(), self.counted, load, "tablet")
        );
        let even = if self.has_even_hash() {
            "the hash is even, but "
        } else {
            ""
        };
        let cause = match &self.hot_part {
            Some(HotPart { part, rows }) if *rows > 1 => format!(
                "; {even}{} of its rows share the salted part `{part}`, which is in one tablet by design",
                Grouped(*rows)
            ),
            _ => String::new(),
        };
        let weight = load.excess() * share(self.total, all_rows);
        Some(
            Difference::new(
                DifferenceKind::RecipeLoad,
                &self.recipe,
                weight,
                sentence + &cause,
            )
            .of_load(load),
        )
    }
}
