//! `fluo table verify`.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use fluo_core::{Authorizations, Error, TableAdmin};
use fluo_recipes::{
    Difference, DifferenceKind, MaxSkew, RowCounting, TableOptimizations, Verdict, VerifyOptions,
};

use super::settling::Wait;
use super::verdict_text;
use crate::duration;
use crate::exit::Outcome;
use crate::output::{self, count_of, plural};
use crate::progress;
use crate::spec::{Expected, SpecArguments};
use crate::target::TargetArguments;

/// Most entries of a table whose rows are counted if they are uneven.
const MOST_ENTRIES: u64 = 10_000_000;

/// Read everything back and say whether the table is as the spec says; exits 1 if not.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table verify --at embedded:./data --spec pages.toml pages
  fluo table verify --at proxy:localhost:42424 --user root --spec pages.toml --wait 60s pages

A tablet or a server is too full if it holds more than --max-skew times the mean. Where the rows are too few to tell,
where there are none, and where they are not counted, the verdict is OK and its last line says that evenness is not
proved; with --require-rows it is NOT OK. A server that is too full because the spec asks for fewer tablets than there
are servers is no difference: the verdict is then HOT and not OK, and the exit code 0.

The p-value is Pearson's chi-square test of the rows per tablet against what the hash space of each tablet leads
to expect. Below 0.000001 the rows are called uneven.

Rows are counted by reading them. A user of a live Accumulo who may not (READ on the table) is told everything else;
the verdict is then NOT OK, and the exit code 1, as with any other difference. --rows skip leaves the rows out: the tablets' own
counts of entries take their place.")]
pub(crate) struct Verify {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    spec: SpecArguments,
    /// The table
    name: String,
    /// Whether rows are counted by reading them
    #[arg(long, value_enum, default_value_t)]
    rows: Rows,
    /// Accept split points that the spec does not ask for
    #[arg(long)]
    allow_extra_splits: bool,
    #[command(flatten)]
    limits: Limits,
    /// Be NOT OK if there are too few rows to prove that they lie evenly, if they are not counted, or if the spec itself
    /// makes a server hot
    #[arg(long)]
    require_rows: bool,
    /// Look again until all is well, at most for this long, such as 60s; the last verdict is printed
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    wait: Option<Duration>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

/// What is seen, and what may be full.
#[derive(Args, Debug)]
pub(super) struct Limits {
    /// How many times the mean the fullest tablet or server may hold; in place of max_skew of the spec, or else 2
    #[arg(long, value_name = "NUMBER", value_parser = max_skew)]
    max_skew: Option<MaxSkew>,
    /// A label of visibilities to count rows with; repeat it for each. Rows that are not seen are not counted
    #[arg(long = "authorization", value_name = "LABEL")]
    authorizations: Vec<String>,
}

impl Limits {
    fn labels(&self) -> Authorizations {
        self.authorizations.iter().cloned().collect()
    }

    /// What the spec expects of the rows, as far as the command does not say otherwise.
    pub(super) fn options(&self, expected: Expected) -> VerifyOptions {
        VerifyOptions {
            max_skew: self.max_skew.unwrap_or(expected.max_skew),
            other_rows: expected.other_rows,
            authorizations: self.labels(),
            ..VerifyOptions::default()
        }
    }
}

/// Adds the damage that an embedded directory is known to have: what is read of it may not be what was written.
pub(super) fn with_damage(mut verdict: Verdict, damage: Option<Error>) -> Verdict {
    let table = verdict.table.clone();
    verdict.add(damage.map(|damage| {
        let told = format!("{damage} with `fluo table check`");
        Difference::new(DifferenceKind::Damage, table, 1.0, told)
    }));
    verdict
}

fn max_skew(text: &str) -> Result<MaxSkew> {
    let wrong = || anyhow::anyhow!("give a number from 1 to 1,000,000, such as 2");
    let number = text.parse().map_err(|_| wrong())?;
    MaxSkew::new(number).map_err(|_| wrong())
}

/// Whether rows are counted by reading them.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Rows {
    /// Up to ten million stored entries; of a larger table the tablets' own counts of entries are judged
    #[default]
    Auto,
    /// However many there are
    Count,
    /// If the tablets' own counts of entries are uneven, up to ten million of them; otherwise these counts are judged
    Uneven,
    /// Not at all: the tablets' own counts of entries are judged
    Skip,
}

impl Verify {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let (optimizations, expected) = self.spec.read_expected()?;
        let options = VerifyOptions {
            allow_extra_splits: self.allow_extra_splits,
            rows: self.rows.into(),
            require_rows: self.require_rows,
            ..self.limits.options(expected)
        };
        let (tables, damage) = self.target.open_with_damage().await?;
        if let Some(limit) = self.wait {
            self.until_laid_out(&*tables, &optimizations, &options, limit)
                .await?;
        }
        let bar = progress::counter("rows counted");
        let counted = |rows| bar.set_position(rows);
        let verdict = optimizations
            .verify(&*tables, &self.name)
            .options(&options)
            .on_progress(counted)
            .await;
        bar.finish_and_clear();
        let verdict = with_damage(verdict?, damage);
        if self.json {
            output::print_json(&verdict)?;
        } else {
            verdict_text::describe(&verdict)?;
        }
        Ok(if verdict.ok {
            Outcome::Success
        } else {
            Outcome::Difference
        })
    }

    /// Looks until everything but the rows is well, or the limit has passed. Rows do not change by waiting, and take
    /// long to count.
    async fn until_laid_out(
        &self,
        tables: &dyn TableAdmin,
        optimizations: &TableOptimizations,
        options: &VerifyOptions,
        limit: Duration,
    ) -> Result<()> {
        let options = VerifyOptions {
            rows: RowCounting::Skip,
            ..options.clone()
        };
        let mut wait = Wait::new("looking at the table", limit);
        loop {
            let look = optimizations.verify(tables, &self.name).options(&options);
            let Some(verdict) = wait.look(look.into_future()).await? else {
                continue;
            };
            if verdict.is_laid_out() || wait.is_over() {
                return Ok(());
            }
            let differences = plural(count_of(verdict.differences.len()), "difference");
            wait.pause(format!("{differences}, waiting")).await;
        }
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
