//! The messages about the counts of a load.

use anyhow::{Error, anyhow};
use fluo_keys::{BulkLoadCause, BulkLoadError, BulkLoadReport, RepeatedKeys};
use fluo_table::Grouped;

use crate::text::plural;

/// The consequences of loading the same rows again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeating {
    /// Each row is written once.
    WritesOnce,
    /// Salts are drawn, so rows that are written exist twice.
    WritesTwice,
    /// Rows exist twice unless the same salts are drawn for them.
    NeedsTheSeed,
    /// Rows that are written are named.
    NamesConflicts,
}

impl Repeating {
    /// Returns the error of a load that failed.
    pub(super) fn failure(self, error: BulkLoadError) -> Error {
        let sentence = self.stopped(&error.report);
        let cause = match error.cause {
            BulkLoadCause::Input(error) => anyhow!(error),
            BulkLoadCause::Table(cause) => cause.into(),
            cause => anyhow!(cause).context(format!("line {}", error.rows.start())),
        };
        cause.context(sentence)
    }

    /// Returns the message for a load that failed.
    fn stopped(self, report: &BulkLoadReport) -> String {
        format!("the load stopped after {}", self.state(report))
    }

    /// Returns the message for a load that is interrupted.
    pub(super) fn interrupted(self, report: &BulkLoadReport, table: &str) -> String {
        format!(
            "loading table `{table}` stopped after {}",
            self.state(report)
        )
    }

    /// Returns the rows that are written, and the consequences of loading them again.
    fn state(self, report: &BulkLoadReport) -> String {
        let written = plural(report.written, "row");
        let unknown = match report.unknown {
            0 => String::new(),
            some => format!(" and perhaps {} more", Grouped(some)),
        };
        let again = match self {
            _ if report.written + report.unknown == 0 => return written,
            Self::WritesOnce => "loading again is safe",
            Self::WritesTwice => {
                "this design draws random salts: loading again duplicates the rows that are already stored"
            }
            Self::NeedsTheSeed => "loading the same file again is safe only with the same --seed",
            Self::NamesConflicts => "loading again is safe, and names the stored rows as conflicts",
        };
        format!("{written}{unknown}; {again}")
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
        BulkLoadReport {
            written,
            unknown,
            ..BulkLoadReport::default()
        }
    }

    #[test]
    fn describes_a_load_that_ended_early() {
        let once = Repeating::WritesOnce;
        assert_eq!(once.stopped(&report(0, 0)), "the load stopped after 0 rows");
        assert_eq!(
            once.stopped(&report(1_200, 1_000)),
            "the load stopped after 1,200 rows and perhaps 1,000 more; loading again is safe"
        );
        assert_eq!(
            Repeating::NamesConflicts.interrupted(&report(1, 0), "t"),
            "loading table `t` stopped after 1 row; loading again is safe, and names the stored rows as conflicts"
        );
        assert_eq!(
            Repeating::NeedsTheSeed.stopped(&report(0, 2)),
            "the load stopped after 0 rows and perhaps 2 more; loading the same file again is safe only with the same \
             --seed"
        );
        assert_eq!(
            Repeating::WritesTwice.stopped(&report(2, 0)),
            "the load stopped after 2 rows; this design draws random salts: loading again duplicates the rows that are \
             already stored"
        );
    }

    #[test]
    fn describes_repeated_keys() {
        let of = |rows, is_lower_bound| {
            repeated(RepeatedKeys {
                rows,
                is_lower_bound,
            })
        };
        assert_eq!(of(0, true), "");
        assert_eq!(
            of(3, false),
            "; 3 of them under a key that another line had"
        );
        assert_eq!(
            of(1_000, true),
            "; at least 1,000 of them under a key that another line had"
        );
    }
}
