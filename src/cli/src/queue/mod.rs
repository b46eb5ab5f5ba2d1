//! `fluo queue`: the queues of an application, from its settings.

mod change;
mod failed;
mod list;
mod show;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use fluo::Client;
use fluo_recipes::stored_queue::StoredQueue;

use crate::application::ApplicationArguments;
use crate::exit::Outcome;

/// The commands of `fluo queue`.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    // The help of each command is the doc comment of its arguments.
    List(list::List),
    Show(show::Show),
    Failed(failed::Failed),
    Retry(change::Retry),
    Discard(change::Discard),
}

/// Runs a command.
pub(crate) async fn run(command: QueueCommand) -> Result<Outcome> {
    match command {
        QueueCommand::List(command) => command.run().await?,
        QueueCommand::Show(command) => command.run().await?,
        QueueCommand::Failed(command) => command.run().await?,
        QueueCommand::Retry(command) => command.run().await?,
        QueueCommand::Discard(command) => command.run().await?,
    }
    Ok(Outcome::Success)
}

/// The arguments that name a queue.
#[derive(Args, Debug)]
struct QueueArguments {
    #[command(flatten)]
    application: ApplicationArguments,
    /// The queue
    #[arg(value_name = "QUEUE")]
    id: String,
}

impl QueueArguments {
    async fn open(&self) -> Result<(Client, StoredQueue)> {
        let open = self.application.open().await?;
        let queues = StoredQueue::all(&open.application.settings)?;
        let ids: Vec<_> = queues
            .iter()
            .map(|queue| format!("`{}`", queue.id()))
            .collect();
        let name = &self.application.name;
        let Some(queue) = queues.into_iter().find(|queue| queue.id() == self.id) else {
            match ids.is_empty() {
                true => bail!("application `{name}` has no queues"),
                false => bail!(
                    "application `{name}` has no queue `{}`; its queues: {}",
                    self.id,
                    ids.join(", ")
                ),
            }
        };
        Ok((open.client().await?, queue))
    }
}
