//! `fluo notifications`: notifications that wait for their observers, and dead letters.

mod letters;
mod list;
mod place;

use anyhow::Result;
use clap::Subcommand;

use crate::dead_letters::Change;
use crate::exit::Outcome;

/// The commands of `fluo notifications`.
#[derive(Debug, Subcommand)]
pub(crate) enum NotificationsCommand {
    // The help of these commands is the doc comment of their arguments.
    List(list::List),
    Failed(letters::Failed),
    /// Requeue dead letters, so their observers run again.
    #[command(after_help = "\
Example:
  fluo notifications retry --at embedded:./data web org.wikipedia page:links
  fluo notifications retry --at embedded:./data --all web

`fluo notifications failed` lists them. The next worker that starts runs their observers.")]
    Retry(letters::Chosen),
    /// Discard dead letters: their observers do not run for these changes.
    ///
    /// The cells stay unchanged, and their next change creates a notification again.
    #[command(after_help = "\
Example:
  fluo notifications discard --at embedded:./data web org.wikipedia page:links
  fluo notifications discard --at embedded:./data --all web

`fluo notifications failed` lists them, and `fluo notifications retry` requeues them.")]
    Discard(letters::Chosen),
}

pub(crate) async fn run(command: NotificationsCommand) -> Result<Outcome> {
    match command {
        NotificationsCommand::List(command) => command.run().await?,
        NotificationsCommand::Failed(command) => command.run().await?,
        NotificationsCommand::Retry(chosen) => chosen.change(Change::Requeue).await?,
        NotificationsCommand::Discard(chosen) => chosen.change(Change::Discard).await?,
    }
    Ok(Outcome::Success)
}
