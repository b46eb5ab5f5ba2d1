//! `fluo notifications retry`.

use anyhow::Result;
use clap::Args;

use super::selection::ChosenArguments;
use crate::application::ApplicationArguments;
use crate::output;
use crate::text::{count_of, plural};

/// Requeue dead letters, so their observers run again.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo notifications retry --at embedded:./data web org.wikipedia page:links
  fluo notifications retry --at embedded:./data --all web

`fluo notifications failed` lists them. The next worker that starts runs their observers.")]
pub(crate) struct Retry {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    chosen: ChosenArguments,
}

impl Retry {
    pub(crate) async fn run(&self) -> Result<()> {
        let cell = self.chosen.cell()?;
        let client = self.application.open().await?.client().await?;
        let count = match cell {
            None => client.retry_all_notifications().await?,
            Some(cell) => {
                if !client.retry_notification(&cell).await? {
                    return Err(self.chosen.none_of(&cell));
                }
                1
            }
        };
        output::say(&format!(
            "requeued {}",
            plural(count_of(count), "notification")
        ));
        Ok(())
    }
}
