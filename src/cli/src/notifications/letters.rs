//! `fluo notifications failed`, `retry` and `discard`: the dead letters.

use std::ffi::OsString;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use fluo_table::RowColumn;

use super::place;
use crate::application::{ApplicationArguments, OpenApplication};
use crate::byte_encoding::Written;
use crate::dead_letters::{Change, ListFormat, Selected};
use crate::output;
use crate::text::{count_of, plural};

/// List the dead letters: notifications whose observers failed too often.
///
/// Each line has the row and the column that changed and, after a tab each: the kind of the
/// observer, the timestamp of the change, the number of tries, the time of the last failure (UTC),
/// and its error.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo notifications failed --at embedded:./data web

`fluo notifications retry` requeues them, and `fluo notifications discard` deletes them.")]
pub(crate) struct Failed {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    format: ListFormat,
}

/// The arguments that select dead letters.
#[derive(Args, Debug)]
pub(crate) struct Chosen {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    selected: Selected<OneCell>,
}

/// A cell with a dead letter.
#[derive(Args, Debug)]
struct OneCell {
    /// Row that changed
    #[arg(required_unless_present = "all", requires = "column", conflicts_with = "all")]
    row: Option<OsString>,
    /// Column that changed; write a `:` within the family as \x3a
    #[arg(value_name = "FAMILY:QUALIFIER")]
    column: Option<OsString>,
    /// Visibility of the column
    #[arg(long, value_name = "EXPRESSION", default_value = "", conflicts_with = "all")]
    visibility: String,
    #[command(flatten)]
    written: Written,
}

impl Failed {
    pub(crate) async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let records = open.coordination.dead_letters().await?;
        let count = count_of(records.len());
        for record in records {
            let (row, column) = (&record.cell.row, &record.cell.column);
            let mut item = place::fields(row, column, self.written);
            output::add(&mut item, "kind", record.kind.to_string());
            output::add(&mut item, "timestamp", record.timestamp.get());
            output::add(&mut item, "tries", record.tries);
            output::add(&mut item, "failed_at", time(record.failed_at_ms));
            output::add(&mut item, "error", record.error);
            let place = place::line(row, column, self.written);
            let fields = ["kind", "timestamp", "tries", "failed_at", "error"];
            output::emit(&self.format.line(&item, Some(place), &fields)?)?;
        }
        output::say(&plural(count, "dead letter"));
        Ok(())
    }
}

impl OneCell {
    fn cell(&self) -> Result<Option<RowColumn>> {
        let (Some(row), Some(column)) = (&self.row, &self.column) else {
            return Ok(None);
        };
        let column = self.written.column(column)?;
        let column = column.with_visibility(self.visibility.clone());
        Ok(Some(RowColumn::new(self.written.row(row)?, column)))
    }
}

impl Chosen {
    pub(super) async fn change(&self, change: Change) -> Result<()> {
        let one = &self.selected.one;
        let cell = one.cell()?;
        let open = self.application.open().await?;
        let client = open.client();
        let count = match (change, &cell) {
            (Change::Requeue, None) => count_of(client.await?.retry_all_notifications().await?),
            (Change::Requeue, Some(cell)) => client.await?.retry_notification(cell).await?.into(),
            (Change::Discard, cell) => discarded(&open, cell.as_ref()).await?,
        };
        let selected =
            cell.map(|cell| format!("`{}`", place::line(&cell.row, &cell.column, one.written)));
        change.tell(count, selected.as_deref(), "fluo notifications failed")
    }
}

/// Discards the dead letters of a cell, or all, and returns their number.
async fn discarded(open: &OpenApplication, cell: Option<&RowColumn>) -> Result<u64> {
    let mut count = 0;
    for record in open.coordination.dead_letters().await? {
        if cell.is_some_and(|cell| *cell != record.cell) {
            continue;
        }
        // A notification that failed again since the list was read stays: it is for a later change.
        let removed = open.coordination.remove_dead_letter(&record.cell, record.timestamp);
        count += u64::from(removed.await?);
    }
    Ok(count)
}

/// The last second of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

/// Formats a time as `2026-01-31T23:59:59Z`, or in milliseconds if it is out of range, as from a
/// wrong clock.
fn time(ms: i64) -> String {
    let since = u64::try_from(ms).ok().map(Duration::from_millis);
    match since.filter(|since| since.as_secs() <= LAST_SECOND) {
        Some(since) => humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string(),
        None => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_any_time() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_767_225_599_900, "2025-12-31T23:59:59Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59Z"),
            (253_402_300_800_000, "253402300800000 ms"),
            (-1, "-1 ms"),
            (i64::MAX, "9223372036854775807 ms"),
        ] {
            assert_eq!(time(ms), text);
        }
    }
}
