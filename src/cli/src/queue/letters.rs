//! `fluo queue failed`, `fluo queue retry` and `fluo queue discard`: the dead letters of a queue.

use std::ffi::OsString;

use anyhow::{Context, Result};
use clap::Args;
use fluo_engine::{Client, Transaction};
use fluo_recipes::stored_queue::{DeadLetter, StoredQueue};
use futures::TryStreamExt;
use serde_json::json;

use super::arguments::QueueArguments;
use crate::byte_encoding::Written;
use crate::dead_letters::{Change, ListFormat, Selected};
use crate::output;
use crate::text::plural;

const LETTERS_AT_ONCE: usize = 200;
/// The number of bytes of dead letters above which a transaction changes no more.
const BYTES_AT_ONCE: usize = 8 << 20;

/// List the dead letters of a queue: entries that could not be processed.
///
/// Each line has the bytes of the key and, after a tab each: the start timestamp of the transaction
/// that added the entry, the bytes of its value, and the error.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo queue failed --at embedded:./data web wc

`fluo queue retry` requeues them, and `fluo queue discard` deletes them.")]
pub(crate) struct Failed {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    format: ListFormat,
}

/// The arguments that select dead letters.
#[derive(Args, Debug)]
pub(crate) struct Chosen {
    #[command(flatten)]
    queue: QueueArguments,
    #[command(flatten)]
    selected: Selected<OneKey>,
}

/// A key with dead letters.
#[derive(Args, Debug)]
struct OneKey {
    #[command(flatten)]
    written: Written,
    /// The key of the dead letters, as `fluo queue failed` prints it
    #[arg(value_name = "KEY", required_unless_present = "all", conflicts_with = "all")]
    key: Option<OsString>,
}

impl Failed {
    pub(super) async fn run(&self) -> Result<()> {
        let (_open, client, queue) = self.queue.open().await?;
        let mut letters = queue.dead_letters(&client.snapshot().await?);
        let mut count = 0;
        while let Some(letter) = letters.try_next().await? {
            count += 1;
            let value = letter.value.as_deref();
            let item = json!({
                "key": self.written.shown(&letter.key),
                "sequence": letter.sequence.get(),
                "value": value.map(|value| self.written.shown(value)),
                "error": letter.error,
            });
            let fields = ["key", "sequence", "value", "error"];
            output::emit(&self.format.line(&item, None, &fields)?)?;
        }
        output::say(&plural(count, "dead letter"));
        Ok(())
    }
}

impl Chosen {
    pub(super) async fn change(&self, change: Change) -> Result<()> {
        let OneKey { written, key } = &self.selected.one;
        let key = key.as_deref().map(|key| written.named("key", key)).transpose()?;
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
                let applied = apply(change, &client, &queue, &chosen).await;
                changed +=
                    applied.with_context(|| format!("{} before this error", change.of(changed)))?;
                (chosen, bytes) = (Vec::new(), 0);
            }
            if is_at_end {
                break;
            }
        }
        let selected = key.map(|key| {
            let (id, key) = (queue.id(), written.shown(&key));
            format!("the key `{key}` in queue `{id}`")
        });
        change.tell(changed, selected.as_deref(), "fluo queue failed")
    }
}

/// Changes some letters in a transaction, and returns the number of those that still exist.
async fn apply(
    change: Change,
    client: &Client,
    queue: &StoredQueue,
    letters: &[DeadLetter],
) -> Result<u64> {
    let apply = async |tx: Transaction| {
        let mut changed = 0;
        for letter in letters {
            changed += u64::from(match change {
                Change::Requeue => queue.requeue(&tx, letter).await?,
                Change::Discard => queue.discard(&tx, letter).await?,
            });
        }
        Ok::<u64, fluo_engine::Error>(changed)
    };
    Ok(client.run(apply).await?)
}
