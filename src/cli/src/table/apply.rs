//! `fluo table apply`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_core::TableAdmin;
use fluo_recipes::{ApplyEvent, Plan, PlanOptions, apply, plan};
use serde::Serialize;

use crate::document;
use crate::output::{self, count_of, plural};
use crate::spec;
use crate::target::TargetArguments;

/// Make a table as the spec, or a saved plan, says.
///
/// Says each step as it is done. It is safe to stop anywhere: the table serves after each step, and applying
/// again goes on from there. If a step fails, what this run did is undone.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table apply --at embedded:./data --spec pages.toml pages
  fluo table apply --at embedded:./data plan.json

A saved plan is refused if the table has changed since it was made.")]
pub(crate) struct Apply {
    #[command(flatten)]
    target: TargetArguments,
    /// What the table should be like, in TOML
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// The table, with --spec; without it a plan that `fluo table plan --out` saved
    #[arg(value_name = "NAME|PLAN.json")]
    name_or_plan: PathBuf,
    /// Remove split points that the spec does not ask for
    #[arg(long, requires = "spec")]
    prune: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done {
    table: String,
    done: Vec<String>,
    already_so: usize,
}

impl Apply {
    pub(crate) async fn run(&self) -> Result<()> {
        let (tables, plan) = match &self.spec {
            Some(spec) => self.planned(spec).await?,
            None => {
                let plan = read(&self.name_or_plan)?;
                (self.target.open()?, plan)
            }
        };
        let mut done = Vec::new();
        let tell = |event: ApplyEvent<'_>| {
            if let ApplyEvent::Done(step) = event {
                done.push(step.to_string());
            }
            if let Some(line) = line_of(event) {
                output::say(&line);
            }
        };
        let applied = apply(&*tables, &plan, tell).await?;
        let table = plan.table().to_owned();
        if self.json {
            return output::print_json(&Done {
                table,
                done,
                already_so: applied.already_so,
            });
        }
        match applied.done {
            0 => output::say(&format!("nothing to do: table `{table}` is as asked for")),
            count => {
                let steps = plural(count_of(count), "step");
                output::say(&format!(
                    "table `{table}`: {steps} done; `fluo table verify` proves it"
                ));
            }
        }
        Ok(())
    }

    async fn planned(&self, spec: &Path) -> Result<(std::sync::Arc<dyn TableAdmin>, Plan)> {
        let optimizations = spec::read(spec)?;
        let tables = self.target.open()?;
        let Some(name) = self.name_or_plan.to_str() else {
            bail!("the name of the table is not text")
        };
        let plan = plan(
            &*tables,
            name,
            &optimizations,
            PlanOptions { prune: self.prune },
        )
        .await?;
        Ok((tables, plan))
    }
}

fn read(path: &Path) -> Result<Plan> {
    let name = path.display();
    let advice = "to apply a spec to a table, name the spec with --spec";
    let text =
        document::read(path).with_context(|| format!("cannot read the plan {name}; {advice}"))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{name} is not a plan of `fluo table plan --out`"))
}

fn line_of(event: ApplyEvent<'_>) -> Option<String> {
    match event {
        ApplyEvent::Begin(_) => None,
        ApplyEvent::Done(step) => Some(format!("done: {step}")),
        ApplyEvent::AlreadySo(step) => Some(format!("already so: {step}")),
        ApplyEvent::Failed(step, _) => Some(format!("failed: {step}; undoing what was done")),
        ApplyEvent::Undone(step) => Some(format!("undone: {step}")),
    }
}
