//! `fluo table verify`.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use fluo_keys::{Difference, MaxSkew, RowCounting, TableOptimizations, Verdict, VerifyOptions};
use fluo_table::{Authorizations, Error, TableAdmin};
use tokio::time::sleep;

use super::origin::Origin;
use super::verdict_text;
use super::wait_until_balanced::WaitLine;
use crate::duration;
use crate::exit::Outcome;
use crate::progress;
use crate::spec::{Expected, SpecArguments};
use crate::target::TargetArguments;
use crate::text::{count_of, plural};

/// Maximum number of entries of a table whose rows are counted if they are uneven.
const MOST_ENTRIES: u64 = 10_000_000;

/// Read everything back and check whether the table matches the spec; exits 1 if not.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table verify --at embedded:./data --spec pages.toml pages
  fluo table verify --at proxy:localhost:42424 --user root --spec pages.toml --wait 60s pages

A tablet or a server is too full if it holds more than --max-skew times the mean. If the rows are too few, absent or
not counted, the verdict is OK and its last line says that evenness is not proved; with --require-rows it is NOT OK. A
spec with fewer tablets than there are servers can make a server too full; a limit above the number of servers accepts
that.

The p-value is that of Pearson's chi-square test of the rows of each tablet, with the shares of the hash space as
expected values. Rows with a p-value below 0.000001 are uneven; that fails the verdict if the statistic is at least 4 %
of the number of rows.

Rows are counted by reading them. For a user of a live Accumulo who may not read them (READ on the table), the verdict
covers everything else, and is NOT OK with exit code 1, as for any other difference. --rows skip leaves the rows out,
and uses the tablets' own counts of entries.")]
pub(crate) struct Verify {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    spec: SpecArguments,
    /// Name of the table
    name: String,
    #[command(flatten)]
    options: VerifyArguments,
}

/// The options of a check, and its output.
#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Condition for counting the rows, which reads them
    #[arg(long, value_enum, default_value_t)]
    rows: Rows,
    /// Accept split points that no recipe asks for
    #[arg(long)]
    allow_extra_splits: bool,
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

/// The visible rows, and the maximum loads.
#[derive(Args, Debug)]
pub(super) struct Limits {
    /// Maximum load of the fullest tablet and server as a multiple of the mean
    /// [default: max_skew of the spec if there is one, or else 2]
    #[arg(long, value_name = "NUMBER", value_parser = max_skew)]
    max_skew: Option<MaxSkew>,
    /// A label of visibilities to count rows with; repeat it for each. Rows that the labels do not
    /// allow are not counted
    #[arg(long = "authorization", value_name = "LABEL")]
    authorizations: Vec<String>,
}

impl Limits {
    fn labels(&self) -> Authorizations {
        self.authorizations.iter().cloned().collect()
    }

    /// Returns the options: the expectations of the spec, unless the command overrides them.
    pub(super) fn options(&self, expected: Expected) -> VerifyOptions {
        VerifyOptions::new()
            .max_skew(self.max_skew.unwrap_or(expected.max_skew))
            .other_rows(expected.other_rows)
            .authorizations(self.labels())
    }
}

/// Adds the known damage of an embedded directory, from which wrong data may have been read.
pub(super) fn with_damage(mut verdict: Verdict, damage: Option<Error>) -> Verdict {
    if let Some(damage) = damage {
        let cause = format!("{damage} with `fluo table check`");
        verdict.add(Difference::Damage { cause });
    }
    verdict
}

fn max_skew(text: &str) -> Result<MaxSkew> {
    let wrong = || anyhow::anyhow!("give a number from 1 to 1,000,000, such as 2");
    let number = text.parse().map_err(|_| wrong())?;
    MaxSkew::new(number).map_err(|_| wrong())
}

/// The condition for counting rows.
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

impl Verify {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let (optimizations, expected) = self.spec.read_expected()?;
        let (tables, damage) = self.target.open_with_damage().await?;
        let check = Check {
            tables: &*tables,
            table: &self.name,
            optimizations,
            expected,
            origin: Origin::Spec,
            damage,
        };
        self.options.run(check).await
    }
}

/// A table that is checked.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    pub(crate) tables: &'a dyn TableAdmin,
    pub(crate) table: &'a str,
    pub(crate) optimizations: TableOptimizations,
    pub(crate) expected: Expected,
    pub(crate) origin: Origin,
    /// The known damage of an embedded directory.
    pub(crate) damage: Option<Error>,
}

impl VerifyArguments {
    /// Verifies a table, and prints the verdict.
    pub(crate) async fn run(&self, check: Check<'_>) -> Result<Outcome> {
        let options = self
            .limits
            .options(check.expected)
            .allow_extra_splits(self.allow_extra_splits)
            .rows(self.rows.into())
            .require_rows(self.require_rows);
        if let Some(limit) = self.wait {
            check.until_laid_out(&options, limit).await?;
        }
        let bar = progress::counter("rows counted");
        let counted = |rows| bar.set_position(rows);
        let verdict = check
            .optimizations
            .verify(check.tables, check.table)
            .options(&options)
            .on_progress(counted)
            .await;
        bar.finish_and_clear();
        let verdict = with_damage(verdict?, check.damage);
        if self.json {
            verdict_text::print_json(&verdict)?;
        } else {
            verdict_text::describe(&verdict, check.origin)?;
        }
        Ok(if verdict.ok {
            Outcome::Success
        } else {
            Outcome::Difference
        })
    }
}

impl Check<'_> {
    /// Waits until everything except the rows matches, or the limit has passed.
    async fn until_laid_out(&self, options: &VerifyOptions, limit: Duration) -> Result<()> {
        let differences = |verdict: &Verdict| {
            let differences = count_of(verdict.differences.len());
            format!("{}, waiting", plural(differences, "difference"))
        };
        let mut line = WaitLine::new("looking at the table");
        self.optimizations
            .verify(self.tables, self.table)
            .options(options)
            .until_laid_out(sleep)
            .limit(limit)
            .on_event(|event| line.show(&event, differences))
            .await
            .map_err(|error| line.failure(error))?;
        Ok(())
    }
}

impl From<Rows> for RowCounting {
    fn from(rows: Rows) -> Self {
        match rows {
            Rows::Auto => Self::default(),
            Rows::Count => Self::All,
            Rows::Uneven => Self::IfUneven(MOST_ENTRIES),
            Rows::Skip => Self::Skip,
        }
    }
}
