//! `fluo table verify`.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use comfy_table::Table;
use fluo_core::{Error, ErrorKind, TableAdmin};
use fluo_recipes::{
    EvennessOf, PropertyVerdict, RowCounting, RowsVerdict, TableOptimizations, Verdict,
    VerifyOptions, verify,
};

use super::settling::Wait;
use crate::duration;
use crate::exit::Outcome;
use crate::output::{self, count_of, grouped, plural, shown};
use crate::progress;
use crate::spec::SpecArguments;
use crate::target::TargetArguments;

/// Read everything back and say whether the table is as the spec says; exits 1 if not.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table verify --at embedded:./data --spec pages.toml pages
  fluo table verify --at proxy:localhost:42424 --user root --spec pages.toml --wait 60s pages

The p-value is Pearson's chi-square test of the rows per tablet against what the hash space of each tablet leads
to expect. Below 0.000001 the rows are called uneven.

Rows are counted by reading them. A user of a live Accumulo who may not (READ on the table) is told everything else;
the verdict is then NOT OK, and the exit code 1, as with any other difference. --rows skip leaves the rows out.")]
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
    /// Look again until all is well, at most for this long, such as 60s; the last verdict is printed
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    wait: Option<Duration>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

/// Whether rows are counted by reading them.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Rows {
    /// Up to ten million stored entries; of a larger table the tablets' own counts are shown
    #[default]
    Auto,
    /// However many there are
    Count,
    /// Not at all
    Skip,
}

impl Verify {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let optimizations = self.spec.read()?;
        let tables = self.target.open().await?;
        if let Some(limit) = self.wait {
            self.until_well(&*tables, &optimizations, limit).await?;
        }
        let bar = progress::counter("rows counted");
        let options = self.options(self.rows.into());
        let verdict = verify(&*tables, &self.name, &optimizations, &options, |rows| {
            bar.set_position(rows);
        })
        .await;
        bar.finish_and_clear();
        let verdict = match verdict {
            Err(error) if error.kind() == ErrorKind::Denied => {
                self.without_rows(&*tables, &optimizations, error).await?
            }
            verdict => verdict?,
        };
        if self.json {
            output::print_json(&verdict)?;
        } else {
            describe(&verdict)?;
        }
        Ok(if verdict.ok {
            Outcome::Success
        } else {
            Outcome::Difference
        })
    }

    /// The verdict for a user who may not do what it takes, as far as that is the counting of rows.
    async fn without_rows(
        &self,
        tables: &dyn TableAdmin,
        optimizations: &TableOptimizations,
        denial: Error,
    ) -> Result<Verdict> {
        let options = self.options(RowCounting::Skip);
        let Ok(mut verdict) = verify(tables, &self.name, optimizations, &options, |_| ()).await
        else {
            return Err(denial.into());
        };
        let difference =
            format!("the rows could not be counted: {denial}; --rows skip leaves them out");
        verdict.differences.push(difference);
        verdict.ok = false;
        Ok(verdict)
    }

    /// Looks until everything but the rows is well, or the limit has passed. Rows do not change by waiting, and take
    /// long to count.
    async fn until_well(
        &self,
        tables: &dyn TableAdmin,
        optimizations: &TableOptimizations,
        limit: Duration,
    ) -> Result<()> {
        let options = self.options(RowCounting::Skip);
        let mut wait = Wait::new("looking at the table", limit);
        loop {
            let look = verify(tables, &self.name, optimizations, &options, |_| ());
            let Some(verdict) = wait.look(look).await? else {
                continue;
            };
            if verdict.ok || wait.is_over() {
                return Ok(());
            }
            let differences = plural(count_of(verdict.differences.len()), "difference");
            wait.pause(format!("{differences}, waiting")).await;
        }
    }

    fn options(&self, rows: RowCounting) -> VerifyOptions {
        VerifyOptions {
            allow_extra_splits: self.allow_extra_splits,
            rows,
            ..VerifyOptions::default()
        }
    }
}

impl From<Rows> for RowCounting {
    fn from(rows: Rows) -> Self {
        match rows {
            Rows::Auto => Self::default(),
            Rows::Count => Self::All,
            Rows::Skip => Self::Skip,
        }
    }
}

/// Prints a verdict for a person: the figures, then what is wrong, then the verdict.
pub(crate) fn describe(verdict: &Verdict) -> Result<()> {
    describe_splits(verdict)?;
    describe_properties(verdict)?;
    describe_groups(verdict)?;
    describe_rows(&verdict.rows)?;
    for difference in &verdict.differences {
        output::print(&shown(&format!("  ! {difference}")))?;
    }
    let differences = plural(count_of(verdict.differences.len()), "difference");
    output::print(&match verdict.ok {
        true => format!("OK: table {} is as the spec says.", verdict.table),
        false => format!("NOT OK: {differences} on table {}.", verdict.table),
    })
}

fn describe_splits(verdict: &Verdict) -> Result<()> {
    let splits = &verdict.splits;
    output::print(&format!(
        "split points  {} wanted, {} missing, {} extra",
        grouped(count_of(splits.wanted)),
        grouped(count_of(splits.missing.len())),
        grouped(count_of(splits.extra.len())),
    ))
}

fn describe_properties(verdict: &Verdict) -> Result<()> {
    let as_expected = verdict
        .properties
        .iter()
        .all(PropertyVerdict::is_as_expected);
    output::print(&format!(
        "balancer      {}",
        match (as_expected, verdict.properties.is_empty()) {
            (true, true) => "any, as no recipe has a group",
            (true, false) => "as expected",
            (false, _) => "not as expected",
        }
    ))?;
    verdict.properties.iter().try_for_each(|property| {
        let sign = if property.is_as_expected() { "=" } else { "!" };
        let found = property.found.as_deref().unwrap_or("(not set)");
        let line = format!("              {sign} {} = {found}", property.name);
        output::print(&shown(&line))
    })
}

fn describe_groups(verdict: &Verdict) -> Result<()> {
    let mut table = columns([
        "group",
        "tablets",
        "least",
        "mean",
        "largest",
        "on a server",
    ]);
    for group in &verdict.groups {
        table.add_row([
            group.group.escape_debug().to_string(),
            group.tablets.to_string(),
            group.least.to_string(),
            format!("{:.1}", group.mean),
            group.largest.to_string(),
            if group.is_spread() {
                "spread"
            } else {
                "not spread"
            }
            .to_owned(),
        ]);
    }
    output::print(&format!("\n{}", table.trim_fmt()))
}

fn describe_rows(rows: &[RowsVerdict]) -> Result<()> {
    if rows.is_empty() {
        return output::print("");
    }
    let unit = if rows.iter().all(|rows| rows.counted) {
        "rows"
    } else {
        "entries"
    };
    let mut table = columns([
        "recipe", unit, "tablets", "least", "mean", "largest", "evenness",
    ]);
    for rows in rows {
        table.add_row([
            rows.recipe.escape_debug().to_string(),
            grouped(rows.total),
            rows.tablets.to_string(),
            grouped(rows.least),
            format!("{:.1}", rows.mean),
            grouped(rows.largest),
            evenness(rows),
        ]);
    }
    output::print(&format!("\n{}\n", table.trim_fmt()))
}

fn evenness(rows: &RowsVerdict) -> String {
    let parts = match rows.salted_parts {
        Some(parts) => format!("{} salted parts, ", grouped(parts)),
        None => String::new(),
    };
    match (rows.chi_square, rows.p_value) {
        (Some(statistic), Some(p_value)) => {
            format!("{parts}chi-square {statistic:.1}, p = {p_value:.3}")
        }
        _ if !rows.counted => "rows were not counted".to_owned(),
        _ if rows.evenness_of == EvennessOf::Nothing => "nothing is expected".to_owned(),
        _ if rows.salted_parts.is_some() => format!("{parts}too few to tell"),
        _ => "too few rows to tell".to_owned(),
    }
}

fn columns<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header);
    table
}
