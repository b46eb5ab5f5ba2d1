//! The plan of `fluo table plan` and `fluo app plan`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::optimized::{Optimized, SpecTable};
use super::plan_text::describe;
use crate::atomic_file;
use crate::output;

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

impl PlanOptions {
    /// Plans for a spec, which the saved plan must not replace.
    pub(super) async fn run_spec(&self, table: &SpecTable) -> Result<()> {
        if let Some(path) = &self.out {
            let checked = table.spec.check_is_not(path);
            checked.with_context(|| cannot_save(path))?;
        }
        self.run(table.open().await?, "").await
    }

    /// Plans, saves and prints. `despite` is an argument that applying a saved plan needs.
    pub(crate) async fn run(&self, table: Optimized, despite: &str) -> Result<()> {
        let plan = table.plan(self.prune).await?;
        if let Some(path) = &self.out {
            let text = serde_json::to_vec_pretty(&plan)?;
            atomic_file::write(path, &text).with_context(|| cannot_save(path))?;
        }
        if self.json {
            output::print_json(&plan)?;
        } else {
            describe(&plan, self.prune, table.origin)?;
        }
        if let Some(path) = &self.out {
            let path = path.display();
            say!("saved as {path}; `fluo table apply --at TARGET {despite}{path}` does it");
        }
        Ok(())
    }
}

fn cannot_save(path: &Path) -> String {
    format!("cannot save the plan as {}", path.display())
}
