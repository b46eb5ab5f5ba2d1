//! `fluo queue`: the queues of an application, from its settings.

use std::ffi::OsString;
use std::future::ready;
use std::pin::pin;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, value_parser};
use fluo_engine::{Client, Snapshot, Timestamp, Transaction};
use fluo_recipes::stored_queue::{Accuracy, Backlog, DeadLetter, StoredQueue};
use fluo_table::coordination::FailedNotification;
use fluo_table::{Error, ErrorKind, Grouped};
use futures::TryStreamExt;
use serde_json::json;

use crate::application::{ApplicationArguments, OpenApplication};
use crate::dead_letters::Change;
use crate::encoding::Written;
use crate::exit::{self, Outcome};
use crate::layout::Heading;
use crate::listing::Listing;
use crate::text::{count_of, counted};
use crate::{names, output};

const LETTERS_AT_ONCE: usize = 200;
/// The number of bytes of dead letters above which a transaction changes no more.
const BYTES_AT_ONCE: usize = 8 << 20;

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    // The help of these commands is the doc comment of their arguments.
    List(List),
    Show(Show),
    Failed(Failed),
    /// Requeue dead letters, so they are processed again.
    ///
    /// `fluo queue failed` lists them. An entry keeps its sequence. A receiver that keeps the last
    /// sequence of each key ignores it if it has a later one.
    #[command(after_help = "\
Example:
  fluo queue retry --at embedded:./data web wc cat
  fluo queue retry --at embedded:./data web wc --all")]
    Retry(Chosen),
    /// Discard dead letters: they are deleted, and never processed.
    ///
    /// `fluo queue failed` lists them, and `fluo queue retry` requeues them. With --all it asks you
    /// to type the name of the queue; without a terminal it needs --yes.
    #[command(after_help = "\
Example:
  fluo queue discard --at embedded:./data web wc cat
  fluo queue discard --at embedded:./data web wc --all")]
    Discard {
        #[command(flatten)]
        chosen: Chosen,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(command: QueueCommand) -> Result<Outcome> {
    match command {
        QueueCommand::List(command) => command.run().await?,
        QueueCommand::Show(command) => command.run().await?,
        QueueCommand::Failed(command) => command.run().await?,
        QueueCommand::Retry(chosen) => chosen.change(Change::Requeue).await?,
        QueueCommand::Discard { chosen, yes } => chosen.change(Change::Discard { yes }).await?,
    }
    Ok(Outcome::Success)
}

#[derive(Args, Debug)]
pub(crate) struct QueueArguments {
    #[command(flatten)]
    pub(crate) application: ApplicationArguments,
    /// The queue
    #[arg(value_name = "QUEUE")]
    pub(crate) id: String,
}

impl QueueArguments {
    pub(crate) async fn open(&self) -> Result<(OpenApplication, Client, StoredQueue)> {
        let open = self.application.open().await?;
        let mut queues = self.application.queues(&open)?;
        let Some(place) = queues.iter().position(|queue| queue.id() == self.id) else {
            return Err(self.not_found(&queues));
        };
        let client = open.client().await?;
        Ok((open, client, queues.swap_remove(place)))
    }

    /// Returns the error of an unknown queue, with the one that the user may have meant.
    fn not_found(&self, queues: &[StoredQueue]) -> anyhow::Error {
        let (name, id) = (&self.application.named.name, &self.id);
        let known: Vec<_> = queues.iter().map(|queue| queue.id().to_owned()).collect();
        let error = |message| Error::new(ErrorKind::NotFound, message);
        match names::advice(id, "queues", &known) {
            Some(advice) => {
                exit::advised(error(format!("application `{name}` has no queue `{id}`")), advice)
            }
            None => error(format!("application `{name}` has no queues")).into(),
        }
    }
}

/// The number of entries to read.
#[derive(Args, Clone, Copy, Debug)]
struct Limit {
    /// Count at most this many waiting entries of a queue; if it has more, print an estimate
    #[arg(long, value_name = "ENTRIES", default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    limit: u64,
    /// Read all waiting entries
    #[arg(long, conflicts_with = "limit")]
    exact: bool,
}

impl Limit {
    async fn backlog(self, queue: &StoredQueue, snapshot: &Snapshot) -> Result<Backlog> {
        let limit = if self.exact { u64::MAX } else { self.limit };
        Ok(queue.estimate_backlog(snapshot, limit).await?)
    }
}

/// List the buckets of a queue in which entries wait.
///
/// At a terminal it prints a table. Otherwise each line has the bucket and, after a tab each: the
/// number of entries, their bytes, the start timestamp of the oldest one, a lower bound of its age
/// in seconds (`-` if it is not known), and `exact`. A queue with more entries than the limit is
/// not read completely: then the line of a bucket that has more entries than were read ends with
/// `lower bound`, and other buckets may be missing. `--exact` reads all.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo queue show --at embedded:./data web wc")]
pub(crate) struct Show {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    limit: Limit,
}

impl Show {
    async fn run(&self) -> Result<()> {
        let (open, client, queue) = self.queue.open().await?;
        let backlog = self.limit.backlog(&queue, &client.snapshot().await?).await?;
        let mut list = Listing::new([
            Heading::Right("bucket"),
            Heading::Right("entries"),
            Heading::Right("bytes"),
            Heading::Right("oldest"),
            Heading::Right("age in s"),
            Heading::Left("accuracy"),
        ]);
        list.add(backlog.buckets.iter().map(|bucket| {
            let accuracy = if bucket.is_complete { Accuracy::Exact } else { Accuracy::LowerBound };
            json!({
                "bucket": bucket.bucket,
                "entries": bucket.entries,
                "bytes": bucket.bytes,
                "oldest": bucket.oldest.get(),
                "oldest_age_seconds": bucket.oldest_age.map(|age| age.as_secs()),
                "accuracy": accuracy.to_string(),
            })
        }))?;
        list.end()?;
        let failed = open.coordination.dead_letters().await?;
        Stuck::new(&queue, &backlog, &failed).warn(&queue);
        note_accuracy(&queue, &backlog);
        let waiting = backlog.buckets.iter().filter(|bucket| bucket.exists).count();
        say!("entries wait in {waiting} of {}", counted(queue.buckets(), "bucket"));
        Ok(())
    }
}

/// Says how an estimate was made.
fn note_accuracy(queue: &StoredQueue, backlog: &Backlog) {
    let id = output::shown(queue.id());
    let entries = counted(backlog.entries, "entry");
    let large = counted(backlog.large_buckets, "large bucket");
    let sampled = Grouped(backlog.sampled_buckets.into());
    match backlog.accuracy {
        Accuracy::Exact => {}
        Accuracy::Estimate => {
            say!(
                "queue `{id}`: about {entries}, extrapolated from {sampled} of {large}; `--exact` reads all"
            );
        }
        Accuracy::LowerBound => {
            say!("queue `{id}`: at least {entries}; `--limit` and `--exact` read more");
        }
    }
}

/// List the queues of an application, with the entries that wait and the dead letters.
///
/// At a terminal it prints a table. Otherwise each line has the id and, after a tab each: the kind,
/// the number of buckets, the number of entries that wait, their bytes, the start timestamp of the
/// oldest one, a lower bound of its age in seconds (`-` if there is none, or it is not known), the
/// number of dead letters, and the accuracy of the numbers of entries and bytes. This is `exact`,
/// unless a queue has more entries than the limit: then `estimate`, or `lower bound` if too little
/// was read for an estimate, and unread entries may be older. A warning on standard error names
/// entries that no worker processes. `fluo queue show` lists the buckets of a queue, and `fluo
/// queue failed` its dead letters.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo queue list --at embedded:./data web")]
pub(crate) struct List {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    limit: Limit,
}

/// The entries that no worker processes.
struct Stuck {
    /// The number of entries in buckets that the queue does not have.
    entries_of_no_bucket: u64,
    /// True if all of these were read.
    is_complete: bool,
    failed_buckets: u64,
}

impl List {
    async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let queues = self.application.queues(&open)?;
        let snapshot = open.client().await?.snapshot().await?;
        let failed = open.coordination.dead_letters().await?;
        let mut list = Listing::new([
            Heading::Left("queue"),
            Heading::Left("kind"),
            Heading::Right("buckets"),
            Heading::Right("entries"),
            Heading::Right("bytes"),
            Heading::Right("oldest"),
            Heading::Right("age in s"),
            Heading::Right("dead letters"),
            Heading::Left("accuracy"),
        ]);
        for queue in &queues {
            let backlog = self.limit.backlog(queue, &snapshot).await?;
            let letters = queue.dead_letters(&snapshot);
            let stuck = Stuck::new(queue, &backlog, &failed);
            let mut item = json!({
                "id": queue.id(),
                "kind": queue.kind().to_string(),
                "buckets": queue.buckets(),
                "entries": backlog.entries,
                "bytes": backlog.bytes,
                "oldest": backlog.oldest.map(Timestamp::get),
                "oldest_age_seconds": backlog.oldest_age.map(|age| age.as_secs()),
                "dead_letters": letters.try_fold(0, async |count, _| Ok(count + 1)).await?,
                "accuracy": backlog.accuracy.to_string(),
            });
            if output::is_json() {
                output::add(&mut item, "entries_of_no_bucket", stuck.entries_of_no_bucket);
                output::add(&mut item, "failed_buckets", stuck.failed_buckets);
            }
            list.add([item])?;
            stuck.warn(queue);
            note_accuracy(queue, &backlog);
        }
        list.end()?;
        output::say(&counted(queues.len(), "queue"));
        Ok(())
    }
}

impl Stuck {
    fn new(queue: &StoredQueue, backlog: &Backlog, failed: &[FailedNotification]) -> Self {
        let foreign = || backlog.buckets.iter().filter(|bucket| !bucket.exists);
        let notification = queue.notification();
        let failed = failed.iter().filter(|failed| failed.cell.column == notification);
        Self {
            entries_of_no_bucket: foreign().map(|bucket| bucket.entries).sum(),
            is_complete: foreign().all(|bucket| bucket.is_complete),
            failed_buckets: count_of(failed.count()),
        }
    }

    fn warn(&self, queue: &StoredQueue) {
        let id = output::shown(queue.id());
        if self.entries_of_no_bucket > 0 {
            let entries = counted(self.entries_of_no_bucket, "entry");
            let least = if self.is_complete { "" } else { "at least " };
            let buckets = counted(queue.buckets(), "bucket");
            say!(
                "warning: queue `{id}`: no worker processes {least}{entries}, which a program with another number than {buckets} has added"
            );
        }
        if self.failed_buckets > 0 {
            let buckets = counted(self.failed_buckets, "bucket");
            say!(
                "warning: queue `{id}`: no worker processes {buckets}, whose observer failed too often; `fluo notifications retry` tries again"
            );
        }
    }
}

/// List the dead letters of a queue: entries that could not be processed.
///
/// At a terminal it prints a table. Otherwise each line has the bytes of the key and, after a tab
/// each: the start timestamp of the transaction that added the entry, the bytes of its value, and
/// the error. `fluo queue retry` requeues them, and `fluo queue discard` deletes them.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo queue failed --at embedded:./data web wc")]
pub(crate) struct Failed {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    written: Written,
}

#[derive(Args, Debug)]
pub(crate) struct Chosen {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    written: Written,
    /// The key of the dead letters, as `fluo queue failed` prints it
    #[arg(value_name = "KEY", required_unless_present = "all", conflicts_with = "all")]
    key: Option<OsString>,
    /// All dead letters
    #[arg(long)]
    all: bool,
}

impl Failed {
    async fn run(&self) -> Result<()> {
        let (_open, client, queue) = self.queue.open().await?;
        let mut letters = queue.dead_letters(&client.snapshot().await?);
        let mut list = Listing::new([
            Heading::Left("key"),
            Heading::Right("sequence"),
            Heading::Left("value"),
            Heading::Left("error"),
        ]);
        let mut count = 0_u64;
        while let Some(letter) = letters.try_next().await? {
            count += 1;
            let value = letter.value.as_deref();
            list.add([json!({
                "key": self.written.shown(&letter.key),
                "sequence": letter.sequence.get(),
                "value": value.map(|value| self.written.shown(value)),
                "error": letter.error,
            })])?;
        }
        list.end()?;
        output::say(&counted(count, "dead letter"));
        Ok(())
    }
}

impl Chosen {
    async fn change(&self, change: Change) -> Result<()> {
        let key = self.key.as_deref().map(|key| self.written.named("key", key)).transpose()?;
        let (_open, client, queue) = self.queue.open().await?;
        if self.all {
            change.confirm_all("queue", queue.id()).await?;
        }
        let snapshot = client.snapshot().await?;
        let is_chosen = |letter: &DeadLetter| key.as_ref().is_none_or(|key| letter.key == key);
        let letters = queue.dead_letters(&snapshot);
        let mut letters = pin!(letters.try_filter(|letter| ready(is_chosen(letter))));
        let mut changed = 0;
        loop {
            let (mut some, mut bytes) = (Vec::new(), 0);
            while some.len() < LETTERS_AT_ONCE
                && bytes < BYTES_AT_ONCE
                && let Some(letter) = letters.try_next().await?
            {
                bytes += letter.size_bytes();
                some.push(letter);
            }
            if some.is_empty() {
                break;
            }
            let applied = client.run(async |tx: Transaction| {
                let mut changed = 0;
                for letter in &some {
                    changed += u64::from(match change {
                        Change::Requeue => queue.requeue(&tx, letter).await?,
                        Change::Discard { .. } => queue.discard(&tx, letter).await?,
                    });
                }
                Ok::<u64, fluo_engine::Error>(changed)
            });
            let before = || format!("{} before this error", change.of(changed));
            changed += applied.await.with_context(before)?;
        }
        let selected = key.as_ref().map(|key| {
            let (id, key) = (queue.id(), self.written.shown(key));
            format!("the key `{key}` in queue `{id}`")
        });
        change.tell(changed, selected.as_deref())
    }
}
