//! `fluo queue retry` and `fluo queue discard`.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;
use fluo::Transaction;
use fluo_recipes::stored_queue::{DeadLetter, StoredQueue};

use super::{QueueArguments, dead_letters};
use crate::byte_encoding::Written;
use crate::output;
use crate::text::{count_of, plural};

/// The number of dead letters that a transaction changes.
const AT_ONCE: usize = 200;

/// Requeue dead letters, so they are processed again.
///
/// An entry keeps its sequence. A receiver that keeps the last sequence of each key ignores it if
/// it has a later one.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue retry --at embedded:./data web wc cat
  fluo queue retry --at embedded:./data web wc --all

`fluo queue failed` lists them.")]
pub(crate) struct Retry {
    #[command(flatten)]
    chosen: Chosen,
}

/// Discard dead letters: they are deleted, and never processed.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue discard --at embedded:./data web wc cat
  fluo queue discard --at embedded:./data web wc --all

`fluo queue failed` lists them, and `fluo queue retry` requeues them.")]
pub(crate) struct Discard {
    #[command(flatten)]
    chosen: Chosen,
}

/// The arguments that select dead letters.
#[derive(Args, Debug)]
struct Chosen {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    written: Written,
    /// The key of the dead letters, as `fluo queue failed` prints it
    #[arg(
        value_name = "KEY",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    key: Option<OsString>,
    /// All dead letters of the queue
    #[arg(long)]
    all: bool,
}

impl Retry {
    pub(crate) async fn run(&self) -> Result<()> {
        let change =
            |queue: &StoredQueue, tx: &Transaction, letter: &DeadLetter| queue.requeue(tx, letter);
        self.chosen.change("requeued", change).await
    }
}

impl Discard {
    pub(crate) async fn run(&self) -> Result<()> {
        let change =
            |queue: &StoredQueue, tx: &Transaction, letter: &DeadLetter| queue.discard(tx, letter);
        self.chosen.change("discarded", change).await
    }
}

impl Chosen {
    async fn change(
        &self,
        done: &str,
        change: impl Fn(&StoredQueue, &Transaction, &DeadLetter) -> fluo::Result<()> + Sync,
    ) -> Result<()> {
        let key = self
            .key
            .as_deref()
            .map(|key| self.written.row(key))
            .transpose()?;
        let (client, queue) = self.queue.open().await?;
        let mut letters = dead_letters(&client, &queue).await?;
        if let Some(key) = &key {
            letters.retain(|letter| letter.key == key);
        }
        if let (true, Some(key)) = (letters.is_empty(), key) {
            bail!(
                "queue `{}` has no dead letter of the key `{}`; `fluo queue failed` lists all",
                queue.id(),
                self.written.shown(&key)
            );
        }
        for letters in letters.chunks(AT_ONCE) {
            let (queue, change) = (&queue, &change);
            client
                .run(async move |tx| {
                    letters
                        .iter()
                        .try_for_each(|letter| change(queue, &tx, letter))
                })
                .await?;
        }
        output::say(&format!(
            "{done} {}",
            plural(count_of(letters.len()), "dead letter")
        ));
        Ok(())
    }
}
