//! `fluo app gc` and `fluo app compact-transient`: compactions of the table of an application.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Error as AnyError, Result, ensure};
use clap::Args;
use fluo_engine::Client;
use fluo_recipes::transient::{CompactedRange, TransientCompaction, TransientRange};
use fluo_table::coordination::HeldLock;
use fluo_table::{Error, ErrorKind, Instance, Span};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio::try_join;

use crate::application::NamedApplication;
use crate::exit::{self, Outcome};
use crate::text::{counted, parse_pause, seconds};
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
    #[arg(long, value_name = "DURATION", value_parser = parse_pause)]
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
                        let line = "another process collects the garbage";
                        output::emit_either(line, &json!({ "waiting": line }))?;
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
        let horizon = client.collect_garbage_with(fluo, &Span::all(), progress).await?;
        drop(bar);
        let duration = begun.elapsed();
        let data = json!({ "horizon": horizon.get(), "seconds": duration.as_secs_f64() });
        let name = &self.application.name;
        let line = format!(
            "application `{name}`: collected the garbage before timestamp {horizon} in {}",
            seconds(duration)
        );
        output::emit_either(&line, &data)
    }
}

/// Compact the transient ranges of an application.
///
/// Transient ranges are the parts of its table that queues fill and empty. They are settings of the
/// application, `recipes.transientRange.ID=HEX:HEX`: the row before the range and its last row.
/// Prints a line for each range. If the compaction of a range fails, the others are compacted
/// nevertheless, and the exit code is 2.
///
/// With --every it repeats until Ctrl-C. Each range pauses after each of its compactions. A failed
/// compaction is printed, and repeated after the pause. An embedded directory is open only during a
/// compaction; while another process has it open, compactions fail.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  fluo app compact-transient --at embedded:./data web
  fluo app compact-transient --at embedded:./data --every 10m web")]
pub(crate) struct CompactTransient {
    #[command(flatten)]
    application: NamedApplication,
    /// Repeat: the shortest pause between two compactions of a range, such as 10m
    #[arg(long, value_name = "DURATION", value_parser = parse_pause)]
    every: Option<Duration>,
    /// With --every: the shortest pause as a multiple of the duration of the compaction before it
    #[arg(long, value_name = "N", default_value_t = 3, requires = "every")]
    multiplier: u32,
}

impl CompactTransient {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let (name, every) = (&self.application.name, self.every);
        let compaction = self.compaction().await?.multiplier(self.multiplier);
        let ranges = compaction.ranges().len();
        if ranges == 0 {
            say!("application `{name}` has no transient ranges, so nothing was compacted");
            return Ok(Outcome::Success);
        }
        let (told, mut lines) = mpsc::unbounded_channel();
        let compaction =
            compaction.on_compacted(move |CompactedRange { range, duration, result, .. }| {
                let (id, took) = (range.id(), seconds(*duration));
                let error = result.as_ref().err().map(ToString::to_string);
                let line = match &error {
                    None => format!("{id} {range}: compacted in {took}"),
                    Some(error) => format!("{id} {range}: failed after {took}: {error}"),
                };
                let range = range.to_string();
                let seconds = duration.as_secs_f64();
                let data = json!({ "id": id, "range": range, "seconds": seconds, "error": error });
                // The receiver is only closed when the command ends.
                let _ = told.send((output::shown(&line), data));
            });
        let work = if every.is_some() { "repeatedly compacting" } else { "compacting" };
        let work = output::shown(&format!("{work} the transient ranges of `{name}`"));
        let _bar = progress::waiting(work);
        let compact = async move {
            let Some(every) = every else {
                return Ok(compaction.run().await.iter().filter(|one| one.result.is_err()).count());
            };
            compaction.repeat_until(every, pending()).await?;
            Ok::<_, AnyError>(0)
        };
        let print = async {
            while let Some((line, data)) = lines.recv().await {
                let printed = progress::above(|| output::emit_either(&line, &data));
                // A closed output does not end a single compaction.
                if every.is_some() {
                    printed?;
                }
            }
            Ok(())
        };
        let (failed, ()) = try_join!(compact, print)?;
        let ranges = counted(ranges, "range");
        ensure!(
            failed == 0,
            "{failed} of {ranges} could not be compacted; the lines above state why, and the command can be repeated"
        );
        Ok(Outcome::Success)
    }

    async fn compaction(&self) -> Result<TransientCompaction> {
        if !self.application.target.is_directory() {
            // The client has the duty to compact each range, unless another process has it.
            let (fluo, client) = self.application.client().await?;
            return Ok(TransientCompaction::for_client(&client, Arc::new(fluo))?);
        }
        let stored = self.application.stored().await?;
        let ranges = TransientRange::all_from_settings(&stored.settings)?;
        let command = self.clone();
        Ok(TransientCompaction::with_compactor(ranges, move |span| {
            let command = command.clone();
            async move { command.compact(&span).await }
        }))
    }

    async fn compact(&self, span: &Span) -> fluo_table::Result<()> {
        let (fluo, client) = self.application.client().await.map_err(|error| {
            let kind = exit::kind(&error).unwrap_or(ErrorKind::Unavailable);
            Error::new(kind, exit::sentence(&error))
        })?;
        client.collect_garbage(&fluo, span).await.map(drop)
    }
}
