//! The messages about the counts of a load.

use anyhow::{Error, anyhow};
use fluo_keys::{BulkLoadCause, BulkLoadError, BulkLoadReport, RepeatedKeys};
use fluo_table::Grouped;

use crate::text::plural;

/// The consequences of loading the same rows again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeating {
    WritesOnce,
    /// Salts are drawn, so rows that are written exist twice.
    WritesTwice,
    /// Rows exist twice unless the same salts are drawn for them.
    NeedsTheSeed,
    NamesConflicts,
}

impl Repeating {
    pub(super) fn failure(self, error: BulkLoadError) -> Error {
        let stopped = format!("the load {}", self.stopped(&error.report));
        let cause = match error.cause {
            BulkLoadCause::Input(error) => anyhow!(error),
            BulkLoadCause::Table(cause) => cause.into(),
            cause => anyhow!(cause).context(format!("line {}", error.rows.start())),
        };
        cause.context(stopped)
    }

    /// Returns the rows that are written, and the consequences of loading them again.
    pub(super) fn stopped(self, report: &BulkLoadReport) -> String {
        let stopped = format!("stopped after {}", plural(report.written, "row"));
        let unknown = match report.unknown {
            0 => String::new(),
            some => format!(" and perhaps {} more", Grouped(some)),
        };
        let again = match self {
            _ if report.written + report.unknown == 0 => return stopped,
            Self::WritesOnce => "loading again is safe",
            Self::WritesTwice => {
                "this design draws random salts: loading again duplicates the rows that are already stored"
            }
            Self::NeedsTheSeed => "loading the same file again is safe only with the same --seed",
            Self::NamesConflicts => "loading again is safe, and names the stored rows as conflicts",
        };
        format!("{stopped}{unknown}; {again}")
    }
}

/// Returns the end of the message about a load; empty if no key is repeated.
pub(super) fn repeated(keys: RepeatedKeys) -> String {
    let rows = match keys.rows {
        0 => return String::new(),
        rows => Grouped(rows),
    };
    let at_least = if keys.is_lower_bound { "at least " } else { "" };
    format!("; {at_least}{rows} of them under a key that another line had")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(written: u64, unknown: u64) -> BulkLoadReport {
        BulkLoadReport { written, unknown, ..BulkLoadReport::default() }
    }

    #[test]
    fn describes_a_load_that_ended_early() {
        for (repeating, written, unknown, expected) in [
            (Repeating::WritesOnce, 0, 0, "0 rows"),
            (
                Repeating::WritesOnce,
                1_200,
                1_000,
                "1,200 rows and perhaps 1,000 more; loading again is safe",
            ),
            (
                Repeating::NamesConflicts,
                1,
                0,
                "1 row; loading again is safe, and names the stored rows as conflicts",
            ),
            (
                Repeating::NeedsTheSeed,
                0,
                2,
                "0 rows and perhaps 2 more; loading the same file again is safe only with the same --seed",
            ),
            (
                Repeating::WritesTwice,
                2,
                0,
                "2 rows; this design draws random salts: loading again duplicates the rows that are already stored",
            ),
        ] {
            let stopped = repeating.stopped(&report(written, unknown));
            assert_eq!(stopped, format!("stopped after {expected}"));
        }
    }
}
