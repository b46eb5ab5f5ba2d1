//! `fluo app check`.

use std::num::NonZeroU32;

use anyhow::Result;
use clap::Args;
use fluo_table::layout::{EntryTimestamp, NOTIFICATION_FAMILY, NotificationTimestamp};
use fluo_table::{Cell, Scan, Span, Timestamp};
use futures::stream::TryStreamExt;
use serde_json::json;

use crate::application::ApplicationArguments;
use crate::exit::Outcome;
use crate::text::{count_of, plural};
use crate::{output, progress};

/// Check whether the table of an application fits its coordination; exits 1 if not.
///
/// Reads every entry of the table, and compares its timestamp with the next one that the
/// application hands out. A later entry means that the coordination, on Accumulo in ZooKeeper, was
/// restored from an older backup than the table: transactions would not see what later ones have
/// written. On Accumulo this needs a running oracle. Entries whose visibility the labels do not
/// allow are not read.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app check --at embedded:./data web")]
pub(crate) struct Check {
    #[command(flatten)]
    application: ApplicationArguments,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// A summary of the entries of a table.
#[derive(Default)]
struct Entries {
    count: u64,
    /// The entry with the latest timestamp.
    latest: Option<(Timestamp, Cell)>,
    /// The first entry that no application writes.
    foreign: Option<Cell>,
}

impl Entries {
    fn add(&mut self, cell: Cell) {
        self.count += 1;
        let stamp = cell.key.timestamp;
        let timestamp = match cell.key.column.family == NOTIFICATION_FAMILY.as_bytes() {
            true => NotificationTimestamp::decode(stamp).map(|stamp| stamp.timestamp),
            false => EntryTimestamp::decode(stamp).map(|stamp| stamp.timestamp),
        };
        match (timestamp, &self.latest) {
            (None, _) if self.foreign.is_none() => self.foreign = Some(cell),
            (Some(timestamp), latest)
                if latest.as_ref().is_none_or(|(latest, _)| timestamp > *latest) =>
            {
                self.latest = Some((timestamp, cell));
            }
            _ => {}
        }
    }
}

impl Check {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        // A client would record an epoch, after which a later backup is refused.
        let open = self.application.open().await?;
        let (bar, mut entries) = (progress::counter("entries"), Entries::default());
        let mut batches = open.table.scan(Scan::over(Span::all()));
        while let Some(batch) = batches.try_next().await? {
            bar.inc(count_of(batch.len()));
            batch.into_iter().for_each(|cell| entries.add(cell));
        }
        bar.finish_and_clear();
        // After the scan, because programs may have written meanwhile.
        let next = open.coordination.timestamps(NonZeroU32::MIN).await?.first;
        let late = entries.latest.as_ref().filter(|(latest, _)| *latest >= next);
        let (name, table) = (&self.application.named.name, &open.application.table);
        let is_ok = late.is_none() && entries.foreign.is_none();
        if self.json {
            output::print_json(&json!({
                "ok": is_ok,
                "entries": entries.count,
                "latest": entries.latest.as_ref().map(|(latest, _)| latest.get()),
                "next": next.get(),
                "foreign": entries.foreign.as_ref().map(|cell| cell.key.to_string()),
            }))?;
            return Ok(Outcome::of(is_ok));
        }
        if let Some((_, cell)) = late {
            show!(
                "NOT OK: `{}` has a timestamp that application `{name}` has not handed out; the next one is {next}",
                cell.key
            )?;
            show!("The coordination is older than table `{table}`: restore a later backup of it.")?;
        }
        if let Some(cell) = &entries.foreign {
            show!("NOT OK: `{}` in table `{table}` is no entry of an application", cell.key)?;
        }
        if is_ok {
            let entries = plural(entries.count, "entry");
            show!(
                "OK: application `{name}` fits table `{table}`: {entries}, all before timestamp {next}"
            )?;
        }
        Ok(Outcome::of(is_ok))
    }
}
