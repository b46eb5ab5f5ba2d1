//! `fluo table apply`, and the changes of `fluo app apply`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use fluo_keys::Plan;
use fluo_table::TableAdmin;
use serde_json::json;

use super::apply_progress::Course;
use super::optimized::Optimized;
use super::wait_until_balanced;
use crate::atomic_file;
use crate::command_name::sibling;
use crate::duration;
use crate::output;
use crate::spec;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::{count_of, plural};

/// Change a table to match the spec, or apply a saved plan.
///
/// Prints each step when it is done. It is safe to stop at any time: the table serves after each
/// step, and applying again continues from there. If a step fails, the steps of this run are
/// undone; if interrupted, it undoes nothing, and prints the completed steps.
///
/// Afterwards it waits until the servers have moved the tablets so that every group is spread. If
/// they are not spread in time, the exit code is 0; `fluo table verify` decides.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table apply --at embedded:./data --spec pages.toml pages
  fluo table apply --at embedded:./data plan.json
  fluo table apply --at proxy:localhost:42424 --user root --spec pages.toml --wait 5m pages

A saved plan is refused if the table has changed since it was made.")]
pub(crate) struct Apply {
    #[command(flatten)]
    target: TargetArguments,
    /// Wanted state of the table, in TOML
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// With --spec, the table; otherwise a plan that `fluo table plan --out` saved
    #[arg(value_name = "NAME|PLAN.json")]
    name_or_plan: PathBuf,
    /// Remove split points that are not in the spec
    #[arg(long, requires = "spec")]
    prune: bool,
    #[command(flatten)]
    options: ApplyOptions,
    #[command(flatten)]
    guard: ApplicationGuard,
}

#[derive(Args, Debug)]
pub(crate) struct ApplyOptions {
    /// Maximum time to wait until every group is spread, such as 60s or 2m. A group balancer
    /// checks a table once a minute
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = duration::parse)]
    wait: Duration,
    /// Do not wait until the tablets have moved
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Apply {
    pub(crate) async fn run(self) -> Result<()> {
        let Some(spec) = &self.spec else {
            let plan = read(&self.name_or_plan)?;
            let tables = self.target.open_to_change(plan.table(), &self.guard).await?;
            return self.options.run(&*tables, &plan).await;
        };
        let (optimizations, expected) = spec::read(spec)?;
        let name = self.name_or_plan.to_str();
        let table = name.context("the name of the table is not text")?.to_owned();
        let tables = self.target.open_to_change(&table, &self.guard).await?;
        let table = Optimized { tables, unwritable: None, table, optimizations, expected };
        self.options.run(&*table.tables, &table.plan(self.prune).await?).await
    }
}

impl ApplyOptions {
    pub(crate) async fn run(&self, tables: &dyn TableAdmin, plan: &Plan) -> Result<()> {
        let table = plan.table();
        let mut course = Course::new(table, plan.steps().len());
        let applied = plan.apply(tables).on_event(|event| course.tell(event)).await?;
        let done = course.end();
        match applied.done {
            _ if self.json => {}
            0 => say!("nothing to do: table `{table}` already matches"),
            steps => {
                let (steps, verify) = (plural(count_of(steps), "step"), sibling("verify"));
                say!("table `{table}`: {steps} done; `{verify}` proves it");
            }
        }
        let mut json = json!({ "table": table, "done": done, "already_so": applied.already_so });
        if !self.no_wait {
            let settling = wait_until_balanced::until_spread(tables, plan, self.wait).await?;
            // The document shows tablets that are spread.
            if !(self.json && settling.spread) {
                output::say(&settling.sentence());
            }
            output::add(&mut json, "tablets", serde_json::to_value(settling)?);
        }
        if self.json { output::print_json(&json) } else { Ok(()) }
    }
}

fn read(path: &Path) -> Result<Plan> {
    let name = path.display();
    let advice = "to apply a spec to a table, name the spec with --spec";
    let text = atomic_file::read(path)
        .with_context(|| format!("cannot read the plan {name}; {advice}"))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{name} is not a plan of `fluo table plan --out`"))
}
