//! `fluo app plan`.

use anyhow::Result;
use clap::Args;

use super::optimization::Optimization;
use crate::application::NamedApplication;
use crate::table::{Origin, PlanOptions};

/// Show the changes that make the table match the recipes; writes nothing.
///
/// The recipes are settings of the application, such as `recipes.optimizations.ID=CLASS`. The
/// application stores them when it is created, so neither its code nor a spec is needed. If it has
/// no recipes with split points, there is nothing to do.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app plan --at embedded:./data web")]
pub(crate) struct PlanCommand {
    #[command(flatten)]
    application: NamedApplication,
    #[command(flatten)]
    options: PlanOptions,
}

impl PlanCommand {
    pub(crate) async fn run(&self) -> Result<()> {
        let Some(found) = Optimization::open(&self.application).await? else {
            return Ok(());
        };
        let Optimization {
            fluo,
            table,
            optimizations,
            ..
        } = found;
        let options = &self.options;
        options
            .run(&fluo, &table, &optimizations, Origin::Recipes)
            .await
    }
}
