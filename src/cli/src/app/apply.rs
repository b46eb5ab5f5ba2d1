//! `fluo app apply`.

use anyhow::Result;
use clap::Args;

use super::optimization::Optimization;
use crate::application::NamedApplication;
use crate::interrupt_message::Standing;
use crate::table::{ApplyOptions, Origin, planned};
use crate::target::check_writable;

/// Change the table to match the recipes.
///
/// The recipes are settings of the application, as for `fluo app plan`. Adds the split points,
/// then sets the groups; no cell changes. It is safe to stop at any time: the table serves after
/// each step, and applying again continues from there. If a step fails, the steps of this run are
/// undone.
///
/// Afterwards it waits until the servers have moved the tablets so that every group is spread. If
/// they are not spread in time, the exit code is 0; `fluo app verify` decides.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app apply --at embedded:./data web")]
pub(crate) struct Apply {
    #[command(flatten)]
    application: NamedApplication,
    /// Remove split points that no recipe asks for
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    options: ApplyOptions,
}

impl Apply {
    pub(crate) async fn run(&self, standing: &Standing) -> Result<()> {
        let Some(found) = Optimization::open(&self.application).await? else {
            return Ok(());
        };
        let Optimization {
            fluo,
            unwritable,
            table,
            optimizations,
        } = found;
        check_writable(unwritable)?;
        let plan = planned(&fluo, &table, &optimizations, self.prune).await?;
        let options = &self.options;
        options.run(&fluo, &plan, Origin::Recipes, standing).await
    }
}
