//! The checks of `fluo table verify`, `fluo table watch` and `fluo app verify`.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use fluo_keys::{Difference, MaxSkew, RowCounting, Verdict, VerifyOptions};
use fluo_table::{Error, ErrorKind};
use tokio::time::sleep;

use super::plan::Optimized;
use super::verdict_text;
use super::wait_until_balanced::WaitLine;
use crate::exit::Outcome;
use crate::spec::{Expected, OtherRows};
use crate::text::plural;
use crate::{duration, output, progress};

/// Maximum number of entries of a table whose rows are counted if they are uneven.
const MAX_ENTRIES: u64 = 10_000_000;

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Condition for counting the rows, which reads them
    #[arg(long, value_enum, default_value_t)]
    rows: Rows,
    #[command(flatten)]
    limits: Limits,
    /// Be NOT OK if there are too few rows to prove that they are spread evenly, or if they are not
    /// counted
    #[arg(long)]
    require_rows: bool,
    /// Repeat the check until the table is OK, for at most this time, such as 60s; prints the last
    /// verdict
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    wait: Option<Duration>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

/// The accepted split points, the maximum loads, and the visible rows.
#[derive(Args, Debug)]
pub(super) struct Limits {
    /// Accept split points that no recipe asks for
    #[arg(long)]
    allow_extra_splits: bool,
    /// Maximum load of the fullest tablet and server as a multiple of the mean
    /// [default: max_skew of the spec if there is one, or else 2]
    #[arg(long, value_name = "NUMBER", value_parser = max_skew)]
    max_skew: Option<MaxSkew>,
    /// A label of visibilities to count rows with; repeat it for each. Rows that the labels do not
    /// allow are not counted
    #[arg(long = "authorization", value_name = "LABEL")]
    authorizations: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Rows {
    /// Count up to ten million stored entries; for a larger table, use the tablets' own counts of
    /// entries
    #[default]
    Auto,
    /// Always count
    Count,
    /// Count if the tablets' own counts of entries are uneven and at most ten million; otherwise
    /// use these counts
    Uneven,
    /// Never count; use the tablets' own counts of entries
    Skip,
}

impl Limits {
    /// Returns the options: the expectations of the spec, unless the command overrides them.
    pub(super) fn options(&self, expected: Expected, rows: Rows) -> VerifyOptions {
        let rows = match rows {
            Rows::Auto => RowCounting::default(),
            Rows::Count => RowCounting::All,
            Rows::Uneven => RowCounting::IfUneven(MAX_ENTRIES),
            Rows::Skip => RowCounting::Skip,
        };
        VerifyOptions::new()
            .rows(rows)
            .allow_extra_splits(self.allow_extra_splits)
            .max_skew(self.max_skew.unwrap_or(expected.max_skew))
            .allow_other_rows(expected.other_rows == OtherRows::Allowed)
            .authorizations(self.authorizations.iter().cloned().collect())
    }
}

/// Adds the known damage of an embedded directory, from which wrong data may have been read.
pub(super) fn with_damage(mut verdict: Verdict, unwritable: Option<Error>) -> Verdict {
    if let Some(damage) = unwritable.filter(|error| error.kind() == ErrorKind::Corrupt) {
        let cause = format!("{damage} with `fluo table check`");
        verdict.add(Difference::Damage { cause });
    }
    verdict
}

fn max_skew(text: &str) -> Result<MaxSkew> {
    let number = text.parse().ok().and_then(|number| MaxSkew::new(number).ok());
    number.context("give a number from 1 to 1,000,000, such as 2")
}

impl VerifyArguments {
    pub(crate) async fn run(&self, table: Optimized) -> Result<Outcome> {
        let options = self.limits.options(table.expected, self.rows);
        let options = options.require_rows(self.require_rows);
        if let Some(limit) = self.wait {
            let differences = |verdict: &Verdict| {
                format!("{}, waiting", plural(verdict.differences.len(), "difference"))
            };
            let line = WaitLine::new("looking at the table");
            let verifying = table.optimizations.verify(&*table.tables, &table.table);
            let waiting = verifying.options(&options).until_laid_out(sleep).limit(limit);
            let laid_out = waiting.on_event(|event| line.show(&event, differences)).await;
            laid_out.map_err(|error| line.failure(error))?;
        }
        let bar = progress::counter("rows counted");
        let verdict = table.optimizations.verify(&*table.tables, &table.table);
        let counted = |rows| bar.set_position(rows);
        let verdict = verdict.options(&options).on_progress(counted).await;
        drop(bar);
        let verdict = with_damage(verdict?, table.unwritable);
        if self.json {
            let mut json = serde_json::to_value(&verdict)?;
            output::add(&mut json, "differences", verdict_text::all_with_sentences(&verdict)?);
            output::print_json(&json)?;
        } else {
            verdict_text::describe(&verdict)?;
        }
        Ok(Outcome::of(verdict.ok))
    }
}
