//! `fluo queue retry` and `fluo queue discard`.

use std::ffi::OsString;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_engine::{Client, Transaction};
use fluo_recipes::stored_queue::{DeadLetter, StoredQueue};
use futures::TryStreamExt;

use super::QueueArguments;
use crate::byte_encoding::Written;
use crate::output;
use crate::text::plural;

/// The number of dead letters that a transaction changes.
const LETTERS_AT_ONCE: usize = 200;
/// The number of bytes of dead letters above which a transaction changes no more.
const BYTES_AT_ONCE: usize = 8 << 20;

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

/// A change of dead letters.
#[derive(Clone, Copy)]
enum Change {
    Requeue,
    Discard,
}

impl Retry {
    pub(crate) async fn run(&self) -> Result<()> {
        self.chosen.change(Change::Requeue).await
    }
}

impl Discard {
    pub(crate) async fn run(&self) -> Result<()> {
        self.chosen.change(Change::Discard).await
    }
}

impl Change {
    fn participle(self) -> &'static str {
        match self {
            Self::Requeue => "requeued",
            Self::Discard => "discarded",
        }
    }

    /// Changes some letters in a transaction, and returns the number of those that still exist.
    async fn apply(
        self,
        client: &Client,
        queue: &StoredQueue,
        letters: &[DeadLetter],
    ) -> Result<u64> {
        let change = async |tx: Transaction| {
            let mut changed = 0;
            for letter in letters {
                let exists = match self {
                    Self::Requeue => queue.requeue(&tx, letter).await?,
                    Self::Discard => queue.discard(&tx, letter).await?,
                };
                changed += u64::from(exists);
            }
            Ok::<u64, fluo_engine::Error>(changed)
        };
        Ok(client.run(change).await?)
    }
}

impl Chosen {
    async fn change(&self, change: Change) -> Result<()> {
        let key = self.key.as_deref();
        let key = key.map(|key| self.written.key(key)).transpose()?;
        let (_open, client, queue) = self.queue.open().await?;
        let snapshot = client.snapshot().await?;
        let mut letters = queue.dead_letters(&snapshot);
        let (mut chosen, mut bytes, mut changed) = (Vec::new(), 0, 0);
        loop {
            let letter = letters.try_next().await?;
            let is_at_end = letter.is_none();
            let is_chosen = |letter: &DeadLetter| key.as_ref().is_none_or(|key| letter.key == key);
            if let Some(letter) = letter.filter(is_chosen) {
                bytes += letter.size_bytes();
                chosen.push(letter);
            }
            if is_at_end || chosen.len() >= LETTERS_AT_ONCE || bytes >= BYTES_AT_ONCE {
                let applied = change.apply(&client, &queue, &chosen).await;
                changed += applied.with_context(|| {
                    let done = plural(changed, "dead letter");
                    format!("{} {done} before this error", change.participle())
                })?;
                (chosen, bytes) = (Vec::new(), 0);
            }
            if is_at_end {
                break;
            }
        }
        if let (0, Some(key)) = (changed, &key) {
            bail!(
                "queue `{}` has no dead letter of the key `{}`; `fluo queue failed` lists all",
                queue.id(),
                self.written.shown(key)
            );
        }
        let letters = plural(changed, "dead letter");
        output::say(&format!("{} {letters}", change.participle()));
        Ok(())
    }
}
