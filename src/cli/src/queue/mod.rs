//! `fluo queue`: the queues of an application, from its settings.

mod change;
mod failed;
mod list;
mod show;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use fluo_engine::Client;
use fluo_recipes::stored_queue::{BucketBacklog, StoredQueue};
use fluo_table::coordination::FailedNotification;
use serde::Serialize;

use self::change::Chosen;
use crate::application::{ApplicationArguments, OpenApplication};
use crate::dead_letters::Change;
use crate::exit::Outcome;
use crate::output;
use crate::text::{count_of, plural};

/// The commands of `fluo queue`.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    // The help of these commands is the doc comment of their arguments.
    List(list::List),
    Show(show::Show),
    Failed(failed::Failed),
    /// Requeue dead letters, so they are processed again.
    ///
    /// An entry keeps its sequence. A receiver that keeps the last sequence of each key ignores it
    /// if it has a later one.
    #[command(after_help = "\
Example:
  fluo queue retry --at embedded:./data web wc cat
  fluo queue retry --at embedded:./data web wc --all

`fluo queue failed` lists them.")]
    Retry(Chosen),
    /// Discard dead letters: they are deleted, and never processed.
    #[command(after_help = "\
Example:
  fluo queue discard --at embedded:./data web wc cat
  fluo queue discard --at embedded:./data web wc --all

`fluo queue failed` lists them, and `fluo queue retry` requeues them.")]
    Discard(Chosen),
}

/// Runs a command.
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
    async fn open(&self) -> Result<(OpenApplication, Client, StoredQueue)> {
        let open = self.application.open().await?;
        let queues = self.application.queues(&open)?;
        let ids: Vec<_> = queues
            .iter()
            .map(|queue| format!("`{}`", queue.id()))
            .collect();
        let name = self.application.name();
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
        let client = open.client().await?;
        Ok((open, client, queue))
    }
}

/// The entries that no worker processes.
#[derive(Serialize)]
struct Stuck {
    /// The number of entries in buckets that the queue does not have.
    entries_of_no_bucket: u64,
    /// The number of buckets whose notification is a dead letter.
    failed_buckets: u64,
}

impl Stuck {
    /// Counts the entries of a queue, given the dead letters of all notifications.
    fn new(queue: &StoredQueue, backlog: &[BucketBacklog], failed: &[FailedNotification]) -> Self {
        let foreign = backlog.iter().filter(|bucket| !bucket.exists);
        let notification = queue.notification();
        let failed = failed
            .iter()
            .filter(|failed| failed.cell.column == notification);
        Self {
            entries_of_no_bucket: foreign.map(|bucket| bucket.entries).sum(),
            failed_buckets: count_of(failed.count()),
        }
    }

    /// Prints what an operator can do about the entries.
    fn print(&self, queue: &StoredQueue) {
        let (id, buckets) = (output::shown(queue.id()), queue.buckets());
        if self.entries_of_no_bucket > 0 {
            output::say(&format!(
                "warning: queue `{id}`: no worker processes {}, which a program with another number than {} has added",
                plural(self.entries_of_no_bucket, "entry"),
                plural(buckets.into(), "bucket")
            ));
        }
        if self.failed_buckets > 0 {
            output::say(&format!(
                "warning: queue `{id}`: no worker processes {}, whose observer failed too often; `fluo notifications retry` tries again",
                plural(self.failed_buckets, "bucket")
            ));
        }
    }
}
