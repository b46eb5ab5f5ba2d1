//! `fluo app compact-transient`.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Error as AnyError, Result, bail};
use clap::Args;
use fluo_recipes::transient::{CompactedRange, TransientCompaction, TransientRange};
use fluo_table::{Error, ErrorKind, Span};
use tokio::sync::mpsc;
use tokio::try_join;

use crate::application::NamedApplication;
use crate::duration::{self, seconds};
use crate::exit::{self, Outcome};
use crate::text::plural;
use crate::{output, progress};

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
    #[arg(long, value_name = "DURATION", value_parser = duration::parse_pause)]
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
                // The receiver is only closed when the command ends.
                let _ = told.send(match result {
                    Ok(()) => format!("{id} {range}: compacted in {took}"),
                    Err(error) => format!("{id} {range}: failed after {took}: {error}"),
                });
            });
        let work = if every.is_some() { "repeatedly compacting" } else { "compacting" };
        let work = output::shown(&format!("{work} the transient ranges of `{name}`"));
        let _bar = progress::waiting(work);
        let compact = async move {
            let Some(every) = every else {
                let report = compaction.run().await;
                return Ok(report.iter().filter(|one| one.result.is_err()).count());
            };
            compaction.repeat_until(every, pending()).await?;
            Ok::<_, AnyError>(0)
        };
        let print = async {
            while let Some(line) = lines.recv().await {
                let printed = progress::above(|| output::emit(&output::shown(&line)));
                // A closed output does not end a single compaction.
                if every.is_some() {
                    printed?;
                }
            }
            Ok(())
        };
        let (failed, ()) = try_join!(compact, print)?;
        if failed > 0 {
            let ranges = plural(ranges, "range");
            bail!(
                "{failed} of {ranges} could not be compacted; the lines above state why, and the command can be repeated"
            );
        }
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
