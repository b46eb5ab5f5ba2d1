//! `fluo queue`: the queues of an application, from its settings.

mod arguments;
mod backlog;
mod letters;

use anyhow::Result;
use clap::Subcommand;

use crate::dead_letters::Change;
use crate::exit::Outcome;

/// The commands of `fluo queue`.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    // The help of these commands is the doc comment of their arguments.
    List(backlog::List),
    Show(backlog::Show),
    Failed(letters::Failed),
    /// Requeue dead letters, so they are processed again.
    ///
    /// An entry keeps its sequence. A receiver that keeps the last sequence of each key ignores it
    /// if it has a later one.
    #[command(after_help = "\
Example:
  fluo queue retry --at embedded:./data web wc cat
  fluo queue retry --at embedded:./data web wc --all

`fluo queue failed` lists them.")]
    Retry(letters::Chosen),
    /// Discard dead letters: they are deleted, and never processed.
    #[command(after_help = "\
Example:
  fluo queue discard --at embedded:./data web wc cat
  fluo queue discard --at embedded:./data web wc --all

`fluo queue failed` lists them, and `fluo queue retry` requeues them.")]
    Discard(letters::Chosen),
}

pub(crate) async fn run(command: QueueCommand) -> Result<Outcome> {
    match command {
        QueueCommand::List(command) => command.run().await?,
        QueueCommand::Show(command) => command.run().await?,
        QueueCommand::Failed(command) => command.run().await?,
        QueueCommand::Retry(chosen) => chosen.change(Change::Requeue).await?,
        QueueCommand::Discard(chosen) => chosen.change(Change::Discard).await?,
    }
    Ok(Outcome::Success)
}
