//! `fluo queue failed`.

use anyhow::Result;
use clap::Args;
use futures::TryStreamExt;
use serde::Serialize;

use super::QueueArguments;
use crate::byte_encoding::Written;
use crate::dead_letters::ListFormat;
use crate::output;
use crate::text::plural;

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

/// A dead letter, as it is printed.
#[derive(Serialize)]
struct Shown {
    key: String,
    sequence: u64,
    value: Option<String>,
    error: String,
}

impl Failed {
    pub(crate) async fn run(&self) -> Result<()> {
        let (_open, client, queue) = self.queue.open().await?;
        let mut letters = queue.dead_letters(&client.snapshot().await?);
        let mut count = 0;
        while let Some(letter) = letters.try_next().await? {
            count += 1;
            let shown = Shown {
                key: self.written.shown(&letter.key),
                sequence: letter.sequence.get(),
                value: letter
                    .value
                    .as_deref()
                    .map(|value| self.written.shown(value)),
                error: letter.error,
            };
            let Shown {
                key,
                sequence,
                value,
                error,
            } = &shown;
            let value = value.as_deref().unwrap_or("-");
            let fields: [&dyn ToString; 4] = [key, sequence, &value, error];
            self.format.print(&shown, fields)?;
        }
        output::say(&plural(count, "dead letter"));
        Ok(())
    }
}
