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
        let written = match report.written {
            0 => "before any row was written".to_owned(),
            1 => "after 1 row was written".to_owned(),
            rows => format!("after {} were written", plural(rows, "row")),
        };
        let rest = match (report.unknown, self) {
            (0, _) => String::new(),
            (some, Self::NamesConflicts) => format!(
                "; {} more may have been, and loading again names as conflicts those that were",
                Grouped(some)
            ),
            (some, Self::WritesTwice | Self::NeedsTheSeed) => {
                format!("; {} more may have been", Grouped(some))
            }
            (1, Self::WritesOnce) => {
                "; 1 more may have been, and loading again writes it once".to_owned()
            }
            (some, Self::WritesOnce) => format!(
                "; {} more may have been, and loading again writes them once",
                Grouped(some)
            ),
        };
        let is_touched = report.written + report.unknown > 0;
        let again = self.drawn().filter(|_| is_touched);
        let again = again.map_or(String::new(), |again| format!("; {again}"));
        format!("the load stopped {written}{rest}{again}")
    }

    /// Returns the consequences of loading again, if salts are drawn.
    fn drawn(self) -> Option<&'static str> {
        match self {
            Self::WritesTwice => Some(
                "loading again writes the rows that are there a second time, under other salts, as the salts of this \
                 design are drawn",
            ),
            Self::NeedsTheSeed => Some(
                "loading again is safe with the same --seed and the same file, which gives each row the same salt; \
                 otherwise it writes the rows that are there a second time",
            ),
            Self::WritesOnce | Self::NamesConflicts => None,
        }
    }

    /// Returns the message for a load that is interrupted.
    pub(super) fn interrupted(self, report: &BulkLoadReport, table: &str) -> String {
        let written = match report.written {
            0 => "no row is known to be written".to_owned(),
            1 => "1 row is written".to_owned(),
            rows => format!("{} are written", plural(rows, "row")),
        };
        let rest = match report.unknown {
            0 => String::new(),
            some => format!(", {} more may be", Grouped(some)),
        };
        let again = match self {
            Self::NamesConflicts => {
                "loading again is safe, and names as conflicts the rows that are written"
            }
            _ => self
                .drawn()
                .unwrap_or("loading again is safe, and writes each row once"),
        };
        format!("{written} to table `{table}`{rest}; {again}")
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
    fn describes_a_load_that_stopped() {
        for (repeating, written, unknown, expected) in [
            (Repeating::WritesOnce, 0, 0, "before any row was written"),
            (Repeating::WritesOnce, 1, 0, "after 1 row was written"),
            (
                Repeating::WritesOnce,
                1_000,
                0,
                "after 1,000 rows were written",
            ),
            (
                Repeating::WritesOnce,
                0,
                1,
                "before any row was written; 1 more may have been, and loading again writes it once",
            ),
            (
                Repeating::WritesOnce,
                1_200,
                1_000,
                "after 1,200 rows were written; 1,000 more may have been, and loading again writes them once",
            ),
            (
                Repeating::NamesConflicts,
                3,
                1,
                "after 3 rows were written; 1 more may have been, and loading again names as conflicts those that were",
            ),
        ] {
            let stopped = repeating.stopped(&report(written, unknown));
            assert_eq!(stopped, format!("the load stopped {expected}"));
        }
    }

    #[test]
    fn describes_a_load_that_is_interrupted() {
        let once = Repeating::WritesOnce;
        assert_eq!(
            once.interrupted(&report(0, 0), "t"),
            "no row is known to be written to table `t`; loading again is safe, and writes each row once"
        );
        assert_eq!(
            once.interrupted(&report(1_001, 2_000), "t"),
            "1,001 rows are written to table `t`, 2,000 more may be; loading again is safe, and writes each row once"
        );
        assert_eq!(
            Repeating::NamesConflicts.interrupted(&report(1, 1), "t"),
            "1 row is written to table `t`, 1 more may be; loading again is safe, and names as conflicts the rows that \
             are written"
        );
    }

    #[test]
    fn warns_about_loading_again_with_drawn_salts() {
        let drawn = "loading again writes the rows that are there a second time, under other salts, as the salts of this \
                     design are drawn";
        let seeded = "loading again is safe with the same --seed and the same file, which gives each row the same salt; \
                      otherwise it writes the rows that are there a second time";
        for (repeating, again) in [
            (Repeating::WritesTwice, drawn),
            (Repeating::NeedsTheSeed, seeded),
        ] {
            assert_eq!(
                repeating.stopped(&report(0, 0)),
                "the load stopped before any row was written"
            );
            assert_eq!(
                repeating.stopped(&report(2, 0)),
                format!("the load stopped after 2 rows were written; {again}")
            );
            assert_eq!(
                repeating.stopped(&report(2, 1_000)),
                format!(
                    "the load stopped after 2 rows were written; 1,000 more may have been; {again}"
                )
            );
            assert_eq!(
                repeating.interrupted(&report(2, 1_000), "t"),
                format!("2 rows are written to table `t`, 1,000 more may be; {again}")
            );
        }
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
