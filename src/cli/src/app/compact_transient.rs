//! `fluo app compact-transient`.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use fluo_recipes::transient::{CompactedRange, TransientCompaction, TransientRange};
use fluo_table::{Error, ErrorKind, Span};
use tokio::select;
use tokio::sync::mpsc;

use crate::application::NamedApplication;
use crate::duration::{self, seconds};
use crate::exit::{self, Outcome};
use crate::output;
use crate::progress::{self, Line};
use crate::text::{count_of, plural};

/// Compact the transient ranges of an application.
///
/// Transient ranges are the parts of its table that queues fill and empty. They are settings of the
/// application, `recipes.transientRange.ID=HEX:HEX`: the row before the range and its last row, in
/// hexadecimal digits; an empty one is the start or the end of the table. A compaction drops only
/// entries that no snapshot can read. Prints a line for each range. If the compaction of a range
/// fails, the others are compacted nevertheless, and the exit code is 2.
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
    #[arg(long, value_name = "DURATION", value_parser = duration::parse_pause)]
    every: Option<Duration>,
    /// With --every: the shortest pause as a multiple of the duration of the compaction before it
    #[arg(long, value_name = "N", default_value_t = 3, requires = "every")]
    multiplier: u32,
}

impl CompactTransient {
    pub(crate) async fn run(self) -> Result<Outcome> {
        match self.every {
            Some(every) => self.repeatedly(every).await,
            None => self.once().await,
        }
    }

    async fn once(&self) -> Result<Outcome> {
        let (fluo, client) = self.application.client().await?;
        let compaction = TransientCompaction::for_client(&client, Arc::new(fluo))?;
        if compaction.ranges().is_empty() {
            self.say_there_are_none();
            return Ok(Outcome::Success);
        }
        let bar = self.bar("compacting");
        let above = bar.clone();
        let print = move |compacted: &CompactedRange| {
            // A closed output does not end the compaction.
            let _ = above.suspend(|| output::print(&line(compacted)));
        };
        let report = compaction.on_compacted(print).run().await;
        drop(bar);
        let failed = report.iter().filter(|one| one.result.is_err()).count();
        if failed > 0 {
            let ranges = plural(count_of(report.len()), "range");
            bail!(
                "{failed} of {ranges} could not be compacted; the lines above state why, and the command can be repeated"
            );
        }
        Ok(Outcome::Success)
    }

    async fn repeatedly(self, every: Duration) -> Result<Outcome> {
        let ranges = self.ranges().await?;
        if ranges.is_empty() {
            self.say_there_are_none();
            return Ok(Outcome::Success);
        }
        let bar = self.bar("repeatedly compacting");
        let multiplier = self.multiplier;
        let (ended, mut lines) = mpsc::unbounded_channel();
        let compaction = match self.application.target.is_directory() {
            true => TransientCompaction::with_compactor(ranges, move |span| {
                let this = self.clone();
                async move { this.compact(&span).await }
            }),
            // The client has the duty to compact each range, unless another process has it.
            false => {
                let (fluo, client) = self.application.client().await?;
                TransientCompaction::for_client(&client, Arc::new(fluo))?
            }
        };
        let compaction = compaction.multiplier(multiplier).on_compacted(move |compacted| {
            // The receiver is only closed when the command ends.
            let _ = ended.send(line(compacted));
        });
        let print = async {
            while let Some(line) = lines.recv().await {
                bar.suspend(|| output::emit(&output::shown(&line)))?;
            }
            Ok::<(), anyhow::Error>(())
        };
        select! {
            repeated = compaction.repeat_until(every, pending()) => repeated?,
            printed = print => printed?,
        }
        Ok(Outcome::Success)
    }

    async fn ranges(&self) -> Result<Vec<TransientRange>> {
        let stored = self.application.stored().await?;
        Ok(TransientRange::all_from_settings(&stored.settings)?)
    }

    /// Opens the application for the compaction of one range.
    async fn compact(&self, span: &Span) -> fluo_table::Result<()> {
        let opened = self.application.client().await;
        let (fluo, client) = opened.map_err(|error| as_error(&error))?;
        client.collect_garbage(&fluo, span).await?;
        Ok(())
    }

    fn bar(&self, work: &str) -> Line {
        let name = &self.application.name;
        progress::waiting(output::shown(&format!("{work} the transient ranges of `{name}`")))
    }

    fn say_there_are_none(&self) {
        say!(
            "application `{}` has no transient ranges, so nothing was compacted",
            self.application.name
        );
    }
}

/// Returns an error of the command as one of the tables, with the same text.
fn as_error(error: &anyhow::Error) -> Error {
    let cause = error.downcast_ref::<Error>().map(Error::kind);
    let kind = cause.unwrap_or(ErrorKind::Unavailable);
    Error::new(kind, exit::sentence(error))
}

fn line(compacted: &CompactedRange) -> String {
    let CompactedRange { range, duration, .. } = compacted;
    let (id, took) = (range.id(), seconds(*duration));
    match &compacted.result {
        Ok(()) => format!("{id} {range}: compacted in {took}"),
        Err(error) => format!("{id} {range}: failed after {took}: {error}"),
    }
}
