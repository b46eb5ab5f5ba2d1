//! `fluo notifications`: notifications that wait for their observers, and dead letters.

mod cell_argument;
mod discard;
mod failed;
mod list;
mod retry;
mod selection;

use anyhow::Result;
use clap::Subcommand;

use crate::exit::Outcome;

/// The commands of `fluo notifications`.
#[derive(Debug, Subcommand)]
pub(crate) enum NotificationsCommand {
    // The help of each command is the doc comment of its arguments.
    List(list::List),
    Failed(failed::Failed),
    Retry(retry::Retry),
    Discard(discard::Discard),
}

/// Runs a command.
pub(crate) async fn run(command: NotificationsCommand) -> Result<Outcome> {
    match command {
        NotificationsCommand::List(command) => command.run().await?,
        NotificationsCommand::Failed(command) => command.run().await?,
        NotificationsCommand::Retry(command) => command.run().await?,
        NotificationsCommand::Discard(command) => command.run().await?,
    }
    Ok(Outcome::Success)
}
