//! `fluo table plan`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use fluo_keys::{Plan, TableOptimizations};
use fluo_table::TableAdmin;

use super::origin::Origin;
use super::plan_text::describe;
use crate::atomic_file;
use crate::output;
use crate::spec::SpecArguments;
use crate::target::TargetArguments;

/// Show the changes that would make a table match the spec; writes nothing.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table plan --at embedded:./data --spec pages.toml pages
  fluo table plan --at embedded:./data --spec pages.toml --out plan.json pages")]
pub(crate) struct PlanCommand {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    spec: SpecArguments,
    /// Name of the table
    name: String,
    #[command(flatten)]
    options: PlanOptions,
}

/// The options of a plan, and its output.
#[derive(Args, Debug)]
pub(crate) struct PlanOptions {
    /// Remove split points that no recipe asks for
    #[arg(long)]
    prune: bool,
    /// Save the plan, for `fluo table apply`
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

impl PlanCommand {
    pub(crate) async fn run(&self) -> Result<()> {
        if let Some(path) = &self.options.out {
            self.spec
                .check_is_not(path)
                .with_context(|| cannot_save(path))?;
        }
        let optimizations = self.spec.read()?;
        let tables = self.target.open().await?;
        let options = &self.options;
        options
            .run(&*tables, &self.name, &optimizations, Origin::Spec)
            .await
    }
}

impl PlanOptions {
    /// Plans the optimizations of a table, saves the plan if a file is given, and prints it.
    pub(crate) async fn run(
        &self,
        tables: &dyn TableAdmin,
        table: &str,
        optimizations: &TableOptimizations,
        origin: Origin,
    ) -> Result<()> {
        let plan = optimizations.plan(tables, table).prune(self.prune).await?;
        if let Some(path) = &self.out {
            save(&plan, path)?;
        }
        if self.json {
            output::print_json(&plan)?;
        } else {
            describe(&plan, self.prune, origin)?;
        }
        if let Some(path) = &self.out {
            let path = path.display();
            let despite = match origin {
                Origin::Spec => "",
                Origin::Recipes => "--despite-application ",
            };
            output::say(&format!(
                "saved as {path}; `fluo table apply --at TARGET {despite}{path}` does it"
            ));
        }
        Ok(())
    }
}

fn save(plan: &Plan, path: &Path) -> Result<()> {
    let text = serde_json::to_vec_pretty(plan)?;
    atomic_file::write(path, &text).with_context(|| cannot_save(path))
}

fn cannot_save(path: &Path) -> String {
    format!("cannot save the plan as {}", path.display())
}
