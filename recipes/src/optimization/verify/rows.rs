//! How many rows of each recipe lie in each tablet.

use fluo_core::{Filter, Result, Scan, Span, TableAdmin, Tablets};
use futures::TryStreamExt;
use serde::Serialize;

use super::super::{Contribution, TableOptimizations};
use super::evenness::LEAST_P_VALUE;
use super::tally::Tally;
use super::{VerifyOptions, evenness};
use crate::key_design::KeyDesign;
use crate::number::grouped;

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

/// What is counted to tell whether a recipe's rows lie evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvennessOf {
    /// Rows: each falls by itself.
    Rows,
    /// Different salted parts: rows that share one fall together, by design.
    SaltedParts,
    /// Nothing: what is expected between the recipe's split points is not known.
    Nothing,
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
    /// What was counted for the test of evenness.
    pub evenness_of: EvennessOf,
    /// How many different salted parts the rows have, where those were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salted_parts: Option<u64>,
    /// Pearson's statistic of the counts against what the share of each planned tablet leads to expect.
    pub chi_square: Option<f64>,
    /// The chance of a statistic at least as large if they fall evenly. None where there are too few, and where
    /// nothing is expected.
    pub p_value: Option<f64>,
    /// Rows that are still written in an earlier design of the recipe.
    pub in_earlier_designs: u64,
    /// Rows under the recipe's prefix that are no keys of its designs.
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
        let span = Span::prefix(tally.contribution().prefix.clone());
        let mut batches = handle.scan(Scan::over(span).filter(Filter::FirstOfRow));
        while let Some(cells) = batches.try_next().await? {
            cells.iter().for_each(|cell| tally.add(&cell.key.row));
            progress(counted_before + tally.rows());
        }
        counted_before += tally.rows();
        verdicts.push(tally.counted_rows());
    }
    Ok(verdicts)
}

impl RowsVerdict {
    pub(super) fn of_counts(contribution: &Contribution, counts: &[u64]) -> Self {
        let is_together = |design: &KeyDesign| design.keeps_rows_together();
        Self {
            recipe: contribution.owner.clone(),
            tablets: counts.len(),
            counted: false,
            total: counts.iter().sum(),
            least: counts.iter().min().copied().unwrap_or_default(),
            mean: evenness::mean_of(counts),
            largest: counts.iter().max().copied().unwrap_or_default(),
            evenness_of: match &contribution.shares {
                None => EvennessOf::Nothing,
                Some(_) if contribution.design.as_ref().is_some_and(is_together) => {
                    EvennessOf::SaltedParts
                }
                Some(_) => EvennessOf::Rows,
            },
            salted_parts: None,
            chi_square: None,
            p_value: None,
            in_earlier_designs: 0,
            foreign: 0,
            first_foreign: None,
        }
    }

    pub(super) fn differences(&self, contribution: &Contribution) -> Vec<String> {
        let Self {
            recipe,
            foreign,
            total,
            ..
        } = self;
        let place = if contribution.is_whole_table() {
            "in the table"
        } else {
            "under its prefix"
        };
        let strangers = self.first_foreign.as_ref().map(|first| {
            let (rows, are_no_keys) = match foreign {
                1 => ("1 row".to_owned(), "is none of its keys: it is"),
                some => (
                    format!("{} rows", grouped(*some)),
                    "are not its keys, the first is",
                ),
            };
            format!("{recipe}: {rows} {place} {are_no_keys} `{first}`")
        });
        let earlier = self.in_earlier_designs;
        let is_migrating = (earlier > 0).then(|| {
            let all = u128::from(*total) + u128::from(earlier);
            let permille = u128::from(*total) * 1_000 / all;
            let (rows_are, moves) = match all {
                1 => ("row is", "a migration moves it"),
                _ => ("rows are", "a migration moves them"),
            };
            format!(
                "{recipe}: {} of {} {rows_are} still written in an earlier design ({}.{} % are moved); {moves}",
                grouped(earlier),
                grouped(u64::try_from(all).unwrap_or(u64::MAX)),
                permille / 10,
                permille % 10
            )
        });
        let what = match self.salted_parts {
            None => format!(
                "its {} rows do not lie evenly over the hash space",
                grouped(*total)
            ),
            Some(parts) => format!(
                "the {} salted parts of its {} rows do not lie evenly over the salts",
                grouped(parts),
                grouped(*total)
            ),
        };
        let uneven = self
            .p_value
            .filter(|p_value| *p_value < LEAST_P_VALUE)
            .map(|p_value| format!("{recipe}: {what} (p = {p_value:.1e})"));
        let told = strangers.into_iter().chain(is_migrating);
        told.chain(uneven).collect()
    }
}
