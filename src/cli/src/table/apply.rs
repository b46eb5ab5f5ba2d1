//! `fluo table apply`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_keys::{Plan, TableOptimizations};
use fluo_table::TableAdmin;
use serde::Serialize;

use super::apply_progress::Course;
use super::origin::Origin;
use super::system_tables;
use super::wait_until_balanced::{self, Settling};
use crate::atomic_file;
use crate::duration;
use crate::interrupt_message::Standing;
use crate::output;
use crate::progress;
use crate::spec;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::{count_of, plural};

/// Change a table to match the spec, or apply a saved plan.
///
/// Prints each step when it is done. It is safe to stop at any time: the table serves after each
/// step, and applying again continues from there. If a step fails, the steps of this run are
/// undone. If interrupted (Ctrl-C, SIGTERM, SIGHUP), it undoes nothing, and prints the completed
/// steps and the one under way.
///
/// Afterwards it waits until the servers have moved the tablets so that every group is spread, and
/// prints the result. If they are not spread in time, the steps are still done and the exit code is
/// 0; `fluo table verify` decides.
///
/// A table of an application in a directory is refused without --despite-application: its tablets
/// would change under its transactions, although no cell does. Applications on a live Accumulo are
/// not detected.
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

/// The wait after a plan is applied, and the output.
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

#[derive(Serialize)]
struct Done {
    table: String,
    done: Vec<String>,
    already_so: usize,
    /// State of the tablets; absent with --no-wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    tablets: Option<Settling>,
}

impl Apply {
    pub(crate) async fn run(&self, standing: &Standing) -> Result<()> {
        let (tables, plan) = match &self.spec {
            Some(spec) => self.planned(spec).await?,
            None => {
                let plan = read(&self.name_or_plan)?;
                system_tables::check_is_none(plan.table())?;
                (
                    self.target
                        .open_to_change(plan.table(), &self.guard)
                        .await?,
                    plan,
                )
            }
        };
        let options = &self.options;
        options.run(&*tables, &plan, Origin::Spec, standing).await
    }

    async fn planned(&self, spec: &Path) -> Result<(Arc<dyn TableAdmin>, Plan)> {
        let optimizations = spec::read(spec)?;
        let Some(name) = self.name_or_plan.to_str() else {
            bail!("the name of the table is not text")
        };
        system_tables::check_is_none(name)?;
        let tables = self.target.open_to_change(name, &self.guard).await?;
        let plan = planned(&*tables, name, &optimizations, self.prune).await?;
        Ok((tables, plan))
    }
}

/// Plans the optimizations of a table, to apply them.
pub(crate) async fn planned(
    tables: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    prune: bool,
) -> Result<Plan> {
    let looking = format!("looking at table {}", output::shown(table));
    let plan = optimizations.plan(tables, table).prune(prune);
    Ok(progress::while_it_lasts(looking, plan.into_future()).await?)
}

impl ApplyOptions {
    /// Applies a plan, waits until the tablets have moved, and prints the result.
    pub(crate) async fn run(
        &self,
        tables: &dyn TableAdmin,
        plan: &Plan,
        origin: Origin,
        standing: &Standing,
    ) -> Result<()> {
        let mut course = Course::new(standing, origin, plan.table(), plan.steps().len());
        let applied = plan
            .apply(tables)
            .on_event(|event| course.tell(event))
            .await?;
        course.end();
        if !self.json {
            say_end(plan, origin, applied.done);
        }
        let settling = self.settling(tables, plan).await?;
        if let Some(settling) = &settling {
            say_settling(settling, origin, self.json);
        }
        if self.json {
            return output::print_json(&Done {
                table: plan.table().to_owned(),
                done: course.done(),
                already_so: applied.already_so,
                tablets: settling,
            });
        }
        Ok(())
    }

    async fn settling(&self, tables: &dyn TableAdmin, plan: &Plan) -> Result<Option<Settling>> {
        if self.no_wait {
            return Ok(None);
        }
        let settling = wait_until_balanced::until_spread(tables, plan, self.wait);
        settling.await.map(Some)
    }
}

fn say_end(plan: &Plan, origin: Origin, steps: usize) {
    let table = plan.table();
    match steps {
        0 => output::say(&format!("nothing to do: table `{table}` already matches")),
        steps => {
            let steps = plural(count_of(steps), "step");
            let command = origin.command();
            output::say(&format!(
                "table `{table}`: {steps} done; `{command} verify` proves it"
            ));
        }
    }
}

/// Prints the state of the tablets, unless it is in the document and is good.
fn say_settling(settling: &Settling, origin: Origin, is_in_document: bool) {
    if !(is_in_document && settling.is_spread()) {
        output::say(&settling.sentence(origin));
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
