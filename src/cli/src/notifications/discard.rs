//! `fluo notifications discard`.

use anyhow::Result;
use clap::Args;

use super::selection::ChosenArguments;
use crate::application::ApplicationArguments;
use crate::output;
use crate::text::plural;

/// Discard dead letters: their observers do not run for these changes.
///
/// The cells stay unchanged, and their next change creates a notification again.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo notifications discard --at embedded:./data web org.wikipedia page:links
  fluo notifications discard --at embedded:./data --all web

`fluo notifications failed` lists them, and `fluo notifications retry` requeues them.")]
pub(crate) struct Discard {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    chosen: ChosenArguments,
}

impl Discard {
    pub(crate) async fn run(&self) -> Result<()> {
        let chosen = self.chosen.cell()?;
        let coordination = self.application.open().await?.coordination;
        let mut count = 0;
        for record in coordination.dead_letters().await? {
            let (cell, up_to) = (&record.cell, record.timestamp);
            if chosen.as_ref().is_some_and(|chosen| chosen != cell) {
                continue;
            }
            // A notification that failed again since the list was read stays: it is for a later
            // change.
            count += u64::from(coordination.remove_dead_letter(cell, up_to).await?);
        }
        match chosen {
            Some(cell) if count == 0 => Err(self.chosen.none_of(&cell)),
            _ => {
                output::say(&format!("discarded {}", plural(count, "notification")));
                Ok(())
            }
        }
    }
}
