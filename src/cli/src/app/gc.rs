//! `fluo app gc`.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use fluo_engine::{Client, Span};
use fluo_table::coordination::HeldLock;
use fluo_table::{ErrorKind, Instance};
use tokio::time::sleep;

use crate::application::NamedApplication;
use crate::duration::{self, seconds};
use crate::exit::{self, Outcome};
use crate::{output, progress};

/// Collect the garbage of an application: compact its table without old versions.
///
/// Old versions and deleted cells stay in the table until they are collected. Entries that an open
/// transaction or snapshot can read stay. A table on Accumulo is compacted in ranges of 64 tablets,
/// one after the other, while transactions continue. Prints the timestamp below which old versions
/// were dropped.
///
/// With --every it repeats until Ctrl-C, unless another process of the application already collects
/// on a schedule, such as a worker. A failure that may pass is printed, and the collection repeated
/// after a minute; any other one ends the command. An embedded directory is open only during a
/// collection.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app gc --at embedded:./data web
  fluo app gc --at prod --every 6h web

Exit codes: 0 collected, 2 bad use or failure.")]
pub(crate) struct Gc {
    #[command(flatten)]
    application: NamedApplication,
    /// Repeat: the pause between two collections, such as 6h
    #[arg(long, value_name = "DURATION", value_parser = duration::parse_pause)]
    every: Option<Duration>,
}

/// Maximum pause after a failure, and before the next look whether another process still collects.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(60);

impl Gc {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let Some(pause) = self.every else {
            let (fluo, client) = self.application.client().await?;
            self.collect(&fluo, &client).await?;
            return Ok(Outcome::Success);
        };
        let mut is_waiting = false;
        loop {
            match self.on_duty().await {
                Ok(Some(held)) => {
                    is_waiting = false;
                    // Other processes can open a directory during the pause. On Accumulo none of
                    // them collects garbage meanwhile.
                    let _held = Some(held).filter(|_| !self.application.target.is_directory());
                    sleep(pause).await;
                }
                Ok(None) => {
                    if !is_waiting {
                        output::emit("another process collects the garbage")?;
                    }
                    is_waiting = true;
                    sleep(pause.min(MAX_RETRY_PAUSE)).await;
                }
                Err(error) if exit::kind(&error).is_some_and(ErrorKind::is_passing) => {
                    say!("failed: {}", exit::sentence(&error));
                    sleep(pause.min(MAX_RETRY_PAUSE)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Collects garbage unless another process does. Returns the duty.
    async fn on_duty(&self) -> Result<Option<(Client, Box<dyn HeldLock>)>> {
        let (fluo, client) = self.application.client().await?;
        let Some(duty) = client.take_duty(Client::GARBAGE_DUTY).await? else {
            return Ok(None);
        };
        self.collect(&fluo, &client).await?;
        Ok(Some((client, duty)))
    }

    async fn collect(&self, fluo: &Instance, client: &Client) -> Result<()> {
        let begun = Instant::now();
        let name = output::shown(&self.application.name);
        let work = format!("collecting the garbage of `{name}`");
        let bar = progress::waiting(work.clone());
        let progress = |done, ranges| bar.set_message(format!("{work}: {done} of {ranges} ranges"));
        let all = Span::all();
        let horizon = client.collect_garbage_with(fluo, &all, progress).await?;
        drop(bar);
        output::emit(&format!("collected below {horizon} in {}", seconds(begun.elapsed())))
    }
}
