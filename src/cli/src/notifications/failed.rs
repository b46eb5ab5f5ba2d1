//! `fluo notifications failed`.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::place::Place;
use crate::application::ApplicationArguments;
use crate::byte_encoding::Written;
use crate::dead_letters::ListFormat;
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

/// A dead letter, as it is printed.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    place: Place,
    kind: String,
    timestamp: u64,
    tries: u32,
    failed_at: String,
    error: String,
}

impl Failed {
    pub(crate) async fn run(&self) -> Result<()> {
        let open = self.application.open().await?;
        let records = open.coordination.dead_letters().await?;
        let count = count_of(records.len());
        for record in records {
            let shown = Shown {
                place: Place::new(&record.cell.row, &record.cell.column, self.written),
                kind: record.kind.to_string(),
                timestamp: record.timestamp.get(),
                tries: record.tries,
                failed_at: time(record.failed_at_ms),
                error: record.error,
            };
            let Shown {
                place,
                kind,
                timestamp,
                tries,
                failed_at,
                error,
            } = &shown;
            let fields: [&dyn ToString; 6] = [place, kind, timestamp, tries, failed_at, error];
            self.format.print(&shown, fields)?;
        }
        output::say(&plural(count, "dead letter"));
        Ok(())
    }
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
