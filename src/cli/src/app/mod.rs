//! `fluo app`: applications.

mod compact_transient;
mod config;
mod init;
mod list;
mod observe;
mod remove;
mod status;

use anyhow::Result;
use clap::Subcommand;

use crate::exit::Outcome;

/// The commands of `fluo app`.
#[derive(Debug, Subcommand)]
pub(crate) enum AppCommand {
    // The help of each command is the doc comment of its arguments.
    Init(init::Init),
    List(list::List),
    Status(status::Status),
    Config(config::Config),
    Remove(remove::Remove),
    CompactTransient(compact_transient::CompactTransient),
}

/// Runs a command.
pub(crate) async fn run(command: AppCommand) -> Result<Outcome> {
    match command {
        AppCommand::Init(command) => command.run().await?,
        AppCommand::List(command) => command.run().await?,
        AppCommand::Status(command) => command.run().await?,
        AppCommand::Config(command) => command.run().await?,
        AppCommand::Remove(command) => command.run().await?,
        AppCommand::CompactTransient(command) => return command.run().await,
    }
    Ok(Outcome::Success)
}
