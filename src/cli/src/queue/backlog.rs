//! `fluo queue list` and `fluo queue show`: the entries that wait.

use anyhow::Result;
use clap::Args;
use fluo_recipes::stored_queue::{BucketBacklog, StoredQueue};
use fluo_table::coordination::FailedNotification;
use futures::TryStreamExt;
use serde_json::json;

use super::arguments::QueueArguments;
use crate::application::ApplicationArguments;
use crate::dead_letters::ListFormat;
use crate::output;
use crate::text::{count_of, plural};

/// The fields of a queue on a line.
const LISTED: [&str; 7] = ["id", "kind", "buckets", "entries", "bytes", "oldest", "dead_letters"];

/// List the queues of an application, with the entries that wait and the dead letters.
///
/// Each line has the id and, after a tab each: the kind, the number of buckets, the number of
/// entries that wait, their bytes, the start timestamp of the oldest one (or `-`), and the number
/// of dead letters. Reads all waiting entries. A warning on standard error names entries that no
/// worker processes.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue list --at embedded:./data web

`fluo queue show` lists the buckets of a queue, and `fluo queue failed` its dead letters.")]
pub(crate) struct List {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    format: ListFormat,
}

/// List the buckets of a queue in which entries wait.
///
/// Each line has the bucket and, after a tab each: the number of entries, their bytes, and the
/// start timestamp of the oldest one.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo queue show --at embedded:./data web wc")]
pub(crate) struct Show {
    #[command(flatten)]
    queue: QueueArguments,
}

/// The entries that no worker processes.
struct Stuck {
    /// The number of entries in buckets that the queue does not have.
    entries_of_no_bucket: u64,
    /// The number of buckets whose notification is a dead letter.
    failed_buckets: u64,
}

impl List {
    pub(super) async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let queues = self.application.queues(&open)?;
        let snapshot = open.client().await?.snapshot().await?;
        let failed = open.coordination.dead_letters().await?;
        for queue in &queues {
            let backlog = queue.backlog(&snapshot).await?;
            let letters = queue.dead_letters(&snapshot);
            let stuck = Stuck::new(queue, &backlog, &failed);
            let sum = |of: fn(&BucketBacklog) -> u64| backlog.iter().map(of).sum::<u64>();
            let item = json!({
                "id": queue.id(),
                "kind": queue.kind().to_string(),
                "buckets": queue.buckets(),
                "entries": sum(|bucket| bucket.entries),
                "bytes": sum(|bucket| bucket.bytes),
                "oldest": backlog.iter().map(|bucket| bucket.oldest.get()).min(),
                "dead_letters": letters.try_fold(0, async |count, _| Ok(count + 1)).await?,
                "entries_of_no_bucket": stuck.entries_of_no_bucket,
                "failed_buckets": stuck.failed_buckets,
            });
            output::emit(&self.format.line(&item, None, &LISTED)?)?;
            stuck.warn(queue);
        }
        output::say(&plural(count_of(queues.len()), "queue"));
        Ok(())
    }
}

impl Show {
    pub(super) async fn run(&self) -> Result<()> {
        let (open, client, queue) = self.queue.open().await?;
        let backlog = queue.backlog(&client.snapshot().await?).await?;
        for bucket in &backlog {
            let (entries, bytes, oldest) = (bucket.entries, bucket.bytes, bucket.oldest);
            output::emit(&format!("{}\t{entries}\t{bytes}\t{oldest}", bucket.bucket))?;
        }
        let failed = open.coordination.dead_letters().await?;
        Stuck::new(&queue, &backlog, &failed).warn(&queue);
        let waiting = backlog.iter().filter(|bucket| bucket.exists).count();
        say!("entries wait in {waiting} of {}", plural(queue.buckets().into(), "bucket"));
        Ok(())
    }
}

impl Stuck {
    /// Counts the entries of a queue, given the dead letters of all notifications.
    fn new(queue: &StoredQueue, backlog: &[BucketBacklog], failed: &[FailedNotification]) -> Self {
        let foreign = backlog.iter().filter(|bucket| !bucket.exists);
        let notification = queue.notification();
        let failed = failed.iter().filter(|failed| failed.cell.column == notification);
        Self {
            entries_of_no_bucket: foreign.map(|bucket| bucket.entries).sum(),
            failed_buckets: count_of(failed.count()),
        }
    }

    /// Prints what an operator can do about the entries.
    fn warn(&self, queue: &StoredQueue) {
        let id = output::shown(queue.id());
        if self.entries_of_no_bucket > 0 {
            let entries = plural(self.entries_of_no_bucket, "entry");
            let buckets = plural(queue.buckets().into(), "bucket");
            say!(
                "warning: queue `{id}`: no worker processes {entries}, which a program with another number than {buckets} has added"
            );
        }
        if self.failed_buckets > 0 {
            let buckets = plural(self.failed_buckets, "bucket");
            say!(
                "warning: queue `{id}`: no worker processes {buckets}, whose observer failed too often; `fluo notifications retry` tries again"
            );
        }
    }
}
