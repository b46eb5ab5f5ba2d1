//! `fluo app`: applications.

mod apply;
mod compact_transient;
mod config;
mod gc;
mod init;
mod list;
mod observe;
mod optimization;
mod plan;
mod rebucket;
mod remove;
mod status;
mod verify;

use anyhow::Result;
use clap::Subcommand;

use crate::exit::Outcome;
use crate::interrupt_message::Standing;

/// The commands of `fluo app`.
#[derive(Debug, Subcommand)]
pub(crate) enum AppCommand {
    // The help of each command is the doc comment of its arguments.
    Init(init::Init),
    List(list::List),
    Status(status::Status),
    Config(config::Config),
    Remove(remove::Remove),
    Gc(gc::Gc),
    CompactTransient(compact_transient::CompactTransient),
    Plan(plan::PlanCommand),
    Apply(apply::Apply),
    Verify(Box<verify::Verify>),
    Rebucket(rebucket::Rebucket),
}

/// Runs a command. Commands that change a table in several steps keep `standing` up to date.
pub(crate) async fn run(command: AppCommand, standing: &Standing) -> Result<Outcome> {
    match command {
        AppCommand::Init(command) => command.run().await?,
        AppCommand::List(command) => command.run().await?,
        AppCommand::Status(command) => command.run().await?,
        AppCommand::Config(command) => command.run().await?,
        AppCommand::Remove(command) => command.run().await?,
        AppCommand::Gc(command) => return command.run().await,
        AppCommand::CompactTransient(command) => return command.run().await,
        AppCommand::Plan(command) => command.run().await?,
        AppCommand::Apply(command) => command.run(standing).await?,
        AppCommand::Rebucket(command) => command.run().await?,
        AppCommand::Verify(command) => return command.run().await,
    }
    Ok(Outcome::Success)
}
