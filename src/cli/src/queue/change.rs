//! `fluo queue retry` and `fluo queue discard`.

use std::ffi::OsString;

use anyhow::{Context, Result};
use clap::Args;
use fluo_engine::{Client, Transaction};
use fluo_recipes::stored_queue::{DeadLetter, StoredQueue};
use futures::TryStreamExt;

use super::QueueArguments;
use crate::byte_encoding::Written;
use crate::dead_letters::{Change, Selected};

/// The number of dead letters that a transaction changes.
const LETTERS_AT_ONCE: usize = 200;
/// The number of bytes of dead letters above which a transaction changes no more.
const BYTES_AT_ONCE: usize = 8 << 20;

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
    #[arg(
        value_name = "KEY",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    key: Option<OsString>,
}

impl Change {
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
    pub(super) async fn change(&self, change: Change) -> Result<()> {
        let OneKey { written, key } = &self.selected.one;
        let key = key
            .as_deref()
            .map(|key| written.named("key", key))
            .transpose()?;
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
