//! `fluo app`: applications.

mod backup;
mod check;
mod compaction;
mod config;
mod inspect;
mod lifecycle;

use std::sync::Arc;

use anyhow::Result;
use clap::Subcommand;
use fluo_recipes::table_optimizations;
use serde_json::json;

use crate::application::{NamedApplication, open, without_table};
use crate::exit::Outcome;
use crate::output;
use crate::spec::{Expected, OtherRows};
use crate::table::{ApplyOptions, Approval, Optimized, PlanOptions, VerifyArguments};
use crate::target::check_writable;

#[derive(Debug, Subcommand)]
pub(crate) enum AppCommand {
    // The help of most commands is the doc comment of their arguments.
    Init(lifecycle::Init),
    List(inspect::List),
    /// Print the status of an application: NOT_FOUND, STOPPED or RUNNING.
    ///
    /// Only one process can open an embedded directory. While a worker or another program has it
    /// open, this command fails with exit code 2, so no application of that directory is ever shown
    /// as RUNNING.
    #[command(after_help = "Example:\n  fluo app status --at embedded:./data web")]
    Status(NamedApplication),
    Config(config::Config),
    Check(check::Check),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Remove(lifecycle::Remove),
    Gc(compaction::Gc),
    CompactTransient(compaction::CompactTransient),
    /// Show the changes that make the table match the recipes; writes nothing.
    ///
    /// The recipes are settings of the application, such as `recipes.optimizations.ID=CLASS`. The
    /// application stores them when it is created, so neither its code nor a spec is needed. If it
    /// has no recipes with split points, there is nothing to do.
    #[command(after_help = "Example:\n  fluo app plan --at embedded:./data web")]
    Plan {
        #[command(flatten)]
        application: NamedApplication,
        #[command(flatten)]
        options: PlanOptions,
    },
    /// Change the table to match the recipes.
    ///
    /// The recipes are settings of the application, as for `fluo app plan`. Adds the split points,
    /// then sets the groups; no cell changes. It is safe to stop at any time: the table serves
    /// after each step, and applying again continues from there. If a step fails, the steps of this
    /// run are undone.
    ///
    /// Afterwards it waits until the servers have moved the tablets so that every group is spread.
    /// If they are not spread in time, the exit code is 0; `fluo app verify` decides.
    #[command(after_help = "Example:\n  fluo app apply --at embedded:./data web")]
    Apply {
        #[command(flatten)]
        application: NamedApplication,
        /// Remove split points that no recipe asks for
        #[arg(long)]
        prune: bool,
        #[command(flatten)]
        options: ApplyOptions,
    },
    /// Check whether the table matches the recipes; exits 1 if not.
    ///
    /// The recipes are settings of the application, as for `fluo app plan`. Reads back the split
    /// points, the groups, the places of the tablets and the rows. Rows that belong to no recipe
    /// are accepted. The tablets of a queue are not compared, because their rows come and go; those
    /// of row hashers are.
    #[command(after_help = "Example:\n  fluo app verify --at embedded:./data web")]
    Verify {
        #[command(flatten)]
        application: NamedApplication,
        #[command(flatten)]
        options: VerifyArguments,
    },
    Rebucket(lifecycle::Rebucket),
}

pub(crate) async fn run(command: AppCommand) -> Result<Outcome> {
    match command {
        AppCommand::Init(command) => command.run().await?,
        AppCommand::List(command) => command.run().await?,
        AppCommand::Status(application) => inspect::print_status(&application).await?,
        AppCommand::Config(command) => command.run().await?,
        AppCommand::Check(command) => return command.run().await,
        AppCommand::Backup(command) => command.run().await?,
        AppCommand::Restore(command) => command.run().await?,
        AppCommand::Remove(command) => command.run().await?,
        AppCommand::Gc(command) => return command.run().await,
        AppCommand::CompactTransient(command) => return command.run().await,
        AppCommand::Plan { application, options } => {
            if let Some(table) = optimized(&application).await? {
                options.run(table, "--despite-application ").await?;
            }
        }
        AppCommand::Apply { application, prune, options } => {
            if let Some(mut table) = optimized(&application).await? {
                check_writable(table.unwritable.take())?;
                let plan = table.plan(prune).await?;
                options.run(&*table.tables, &plan, Approval::Asked { prune }).await?;
            }
        }
        AppCommand::Verify { application, options } => {
            if let Some(table) = optimized(&application).await? {
                return options.run(table).await;
            }
        }
        AppCommand::Rebucket(command) => command.run().await?,
    }
    Ok(Outcome::Success)
}

/// Opens an application, and takes the optimizations from its settings. If it has no recipe with
/// split points, says so and returns `None`.
async fn optimized(application: &NamedApplication) -> Result<Option<Optimized>> {
    let NamedApplication { target, name } = application;
    let (fluo, unwritable) = target.open_checked().await?;
    let stored = open(&fluo, name).await?.application().await?;
    let (table, optimizations) = (stored.table, table_optimizations(&stored.settings));
    let optimizations = optimizations.map_err(|error| application.error_in_settings(&error))?;
    if !fluo.table_exists(&table).await? {
        return Err(without_table(name, &table));
    }
    if optimizations.requirements().is_empty() {
        say!(
            "application `{name}` has no recipes with split points, so its table `{table}` stays as it is"
        );
        output::print_result(&json!({ "table": table, "recipes": 0 }))?;
        return Ok(None);
    }
    let expected = Expected { other_rows: OtherRows::Allowed, ..Expected::default() };
    Ok(Some(Optimized { tables: Arc::new(fluo), unwritable, table, optimizations, expected }))
}
