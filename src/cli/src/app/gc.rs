//! `fluo app gc`.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use fluo::{Client, InstanceExt, Span};
use fluo_table::Instance;
use fluo_table::coordination::HeldLock;
use tokio::time::sleep;

use crate::application;
use crate::duration::{self, seconds};
use crate::exit::{self, Outcome};
use crate::target::InstanceArguments;
use crate::{output, progress};

/// Collect the garbage of an application: compact its table without old versions.
///
/// Old versions and deleted cells stay in the table until they are collected. Entries that an open
/// transaction or snapshot can read stay. A table on Accumulo is compacted in ranges of 64 tablets,
/// one after the other, while transactions continue. Prints the timestamp below which old versions
/// were dropped.
///
/// With --every it repeats until Ctrl-C, unless another process of the application already collects
/// on a schedule, such as a worker. A failure is printed, and the collection repeated after the
/// pause. An embedded directory is open only during a collection.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app gc --at embedded:./data web
  fluo app gc --at prod --every 6h web

Exit codes: 0 collected, 2 bad use or failure.")]
pub(crate) struct Gc {
    #[command(flatten)]
    target: InstanceArguments,
    /// The application
    name: String,
    /// Repeat: the pause between two collections, such as 6h
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    every: Option<Duration>,
}

impl Gc {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let Some(pause) = self.every else {
            let (fluo, client) = self.open().await?;
            output::emit(&self.collect(&fluo, &client).await?)?;
            return Ok(Outcome::Success);
        };
        loop {
            let held = self.on_duty().await;
            let line = match &held {
                Ok((line, _)) => line.clone(),
                Err(error) => format!("failed: {}", exit::sentence(error)),
            };
            output::emit(&output::shown(&line))?;
            // Other processes can open a directory during the pause. On Accumulo none of them
            // collects garbage meanwhile.
            let _held = held.ok().filter(|_| !self.target.is_directory());
            sleep(pause).await;
        }
    }

    /// Collects garbage unless another process has the duty. Returns the line to print, and the
    /// duty.
    async fn on_duty(&self) -> Result<(String, Option<(Client, Box<dyn HeldLock>)>)> {
        let (fluo, client) = self.open().await?;
        let Some(duty) = client.take_duty(Client::GARBAGE_DUTY).await? else {
            let line = "another process collects the garbage".to_owned();
            return Ok((line, None));
        };
        let line = self.collect(&fluo, &client).await?;
        Ok((line, Some((client, duty))))
    }

    /// Collects garbage, and returns the line to print.
    async fn collect(&self, fluo: &Instance, client: &Client) -> Result<String> {
        let begun = Instant::now();
        let work = output::shown(&format!("collecting the garbage of `{}`", self.name));
        let bar = progress::waiting(work.clone());
        let progress = |done, ranges| {
            bar.set_message(format!("{work}: {done} of {ranges} ranges"));
        };
        let all = Span::all();
        let collected = client.collect_garbage_with(fluo, &all, progress).await;
        bar.finish_and_clear();
        let horizon = collected?;
        Ok(format!(
            "collected below {horizon} in {}",
            seconds(begun.elapsed())
        ))
    }

    async fn open(&self) -> Result<(Instance, Client)> {
        let fluo = self.target.open().await?;
        let opened = fluo.application(&self.name).open().await;
        Ok((fluo, opened.map_err(application::advised)?))
    }
}
