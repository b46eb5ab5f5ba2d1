//! How many rows of each recipe lie in each tablet.

use fluo_core::{Bytes, Escaped, Filter, Result, Scan, Span, TableAdmin, Tablets};
use futures::TryStreamExt;
use serde::Serialize;

use super::super::{Contribution, TableOptimizations};
use super::{VerifyOptions, evenness};

/// A p-value below this is not chance: evenly hashed rows show one less than once in a million times.
const LEAST_P_VALUE: f64 = 1e-6;

/// How [`verify`](super::verify) counts rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCounting {
    /// By reading the first cell of every row, if the tablets have at most this many entries together; of a
    /// larger table only the tablets' own counts are told.
    UpTo(u64),
    /// By reading the first cell of every row, however many there are.
    All,
    /// Not at all.
    Skip,
}

impl Default for RowCounting {
    /// Up to ten million entries: seconds on an embedded table.
    fn default() -> Self {
        Self::UpTo(10_000_000)
    }
}

/// How the rows of one recipe lie over its tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowsVerdict {
    /// The recipe.
    pub recipe: String,
    /// How many tablets can hold its rows.
    pub tablets: usize,
    /// Whether rows were counted. If not, the figures are the tablets' entries: cells, versions and delete
    /// markers, of whatever recipe, and there is no p-value.
    pub counted: bool,
    /// Rows, or entries, in all of its tablets.
    pub total: u64,
    /// The smallest number in a tablet.
    pub least: u64,
    /// The mean number in a tablet.
    pub mean: f64,
    /// The largest number in a tablet.
    pub largest: u64,
    /// Pearson's statistic of the counts against what the hash space of each planned tablet leads to expect.
    pub chi_square: Option<f64>,
    /// The chance of a statistic at least as large if rows fall evenly. None where there are too few rows.
    pub p_value: Option<f64>,
    /// Rows under the recipe's prefix that its hasher did not write.
    pub foreign: u64,
    /// The first of those, escaped.
    pub first_foreign: Option<String>,
}

pub(super) async fn count(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    tablets: &Tablets,
    options: &VerifyOptions,
    mut progress: impl FnMut(u64) + Send,
) -> Result<Vec<RowsVerdict>> {
    let is_counted = match options.rows {
        RowCounting::All => true,
        RowCounting::UpTo(most) => tablets.entries() <= most,
        RowCounting::Skip => return Ok(Vec::new()),
    };
    let tallies = optimizations
        .contributions()
        .iter()
        .map(|contribution| Tally::new(contribution, tablets));
    if !is_counted {
        return Ok(tallies.map(Tally::entries_of_tablets).collect());
    }
    let handle = admin
        .open_table(table, options.authorizations.clone())
        .await?;
    let mut verdicts = Vec::new();
    let mut counted_before = 0;
    for mut tally in tallies {
        let span = Span::prefix(tally.contribution.prefix.clone());
        let mut batches = handle.scan(Scan::over(span).filter(Filter::FirstOfRow));
        while let Some(cells) = batches.try_next().await? {
            cells.iter().for_each(|cell| tally.add(&cell.key.row));
            progress(counted_before + tally.rows);
        }
        counted_before += tally.rows;
        verdicts.push(tally.counted_rows());
    }
    Ok(verdicts)
}

/// Counts rows as they come, in order, so that finding a row's tablet is a step and not a search.
struct Tally<'a> {
    contribution: &'a Contribution,
    tablets: &'a Tablets,
    /// The tablets that can hold rows of the recipe, as indices of the table's.
    first_tablet: usize,
    last_tablet: usize,
    at_tablet: usize,
    in_tablets: Vec<u64>,
    at_planned: usize,
    in_planned: Vec<u64>,
    rows: u64,
    foreign: u64,
    first_foreign: Option<String>,
}

impl<'a> Tally<'a> {
    fn new(contribution: &'a Contribution, tablets: &'a Tablets) -> Self {
        let first_tablet = tablets.index_of(&contribution.prefix);
        let last_row = contribution.splits.last().unwrap_or(&contribution.prefix);
        let last_tablet = tablets.index_of(last_row).max(first_tablet);
        Self {
            contribution,
            tablets,
            first_tablet,
            last_tablet,
            at_tablet: first_tablet,
            in_tablets: vec![0; last_tablet - first_tablet + 1],
            at_planned: 0,
            in_planned: vec![0; contribution.splits.len()],
            rows: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    fn add(&mut self, row: &Bytes) {
        let hasher = self.contribution.hashed.as_ref().map(|(hasher, _)| hasher);
        if hasher.is_some_and(|hasher| hasher.remove(row).is_err()) {
            self.foreign += 1;
            self.first_foreign
                .get_or_insert_with(|| Escaped(row).to_string());
            return;
        }
        self.rows += 1;
        let ends_before =
            |tablet: &fluo_core::Tablet| tablet.end_row.as_ref().is_some_and(|end| end < row);
        while self
            .tablets
            .as_slice()
            .get(self.at_tablet)
            .is_some_and(ends_before)
        {
            self.at_tablet += 1;
        }
        while self
            .contribution
            .splits
            .get(self.at_planned)
            .is_some_and(|end| end < row)
        {
            self.at_planned += 1;
        }
        let tablet = self.in_tablets.get_mut(self.at_tablet - self.first_tablet);
        let planned = self.in_planned.get_mut(self.at_planned);
        tablet
            .into_iter()
            .chain(planned)
            .for_each(|count| *count += 1);
    }

    fn counted_rows(self) -> RowsVerdict {
        let shares = self
            .contribution
            .hashed
            .as_ref()
            .map(|(_, shares)| shares.as_slice());
        let test = evenness::chi_square(&self.in_planned, shares.unwrap_or_default());
        let foreign = (self.foreign, self.first_foreign);
        RowsVerdict {
            counted: true,
            chi_square: test.map(|(statistic, _)| statistic),
            p_value: test.map(|(_, p_value)| p_value),
            foreign: foreign.0,
            first_foreign: foreign.1,
            ..RowsVerdict::of_counts(self.contribution, &self.in_tablets)
        }
    }

    fn entries_of_tablets(self) -> RowsVerdict {
        let own = self
            .tablets
            .as_slice()
            .get(self.first_tablet..=self.last_tablet)
            .unwrap_or_default();
        let entries: Vec<_> = own.iter().map(|tablet| tablet.entries).collect();
        RowsVerdict::of_counts(self.contribution, &entries)
    }
}

impl RowsVerdict {
    fn of_counts(contribution: &Contribution, counts: &[u64]) -> Self {
        Self {
            recipe: contribution.owner.clone(),
            tablets: counts.len(),
            counted: false,
            total: counts.iter().sum(),
            least: counts.iter().min().copied().unwrap_or_default(),
            mean: evenness::mean_of(counts),
            largest: counts.iter().max().copied().unwrap_or_default(),
            chi_square: None,
            p_value: None,
            foreign: 0,
            first_foreign: None,
        }
    }

    pub(super) fn differences(&self) -> impl Iterator<Item = String> {
        let Self {
            recipe,
            foreign,
            total,
            ..
        } = self;
        let unhashed = self.first_foreign.as_ref().map(|first| {
            format!(
                "{recipe}: {foreign} rows under its prefix are not its keys, the first is `{first}`"
            )
        });
        let uneven = self.p_value.filter(|p_value| *p_value < LEAST_P_VALUE).map(|p_value| {
            format!("{recipe}: its {total} rows do not lie evenly over the hash space (p = {p_value:.1e})")
        });
        unhashed.into_iter().chain(uneven)
    }
}
