//! A change as a printed line.

use std::time::SystemTime;

use serde::Serialize;

use super::changes::Change;
use crate::text::{count_of, plural};

/// A change with its time, as a JSON object or as text.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    /// UTC, as `2026-01-31T23:59:59Z`.
    time: String,
    table: &'a str,
    #[serde(flatten)]
    change: &'a Change,
}

impl<'a> Line<'a> {
    pub(super) fn now(table: &'a str, change: &'a Change) -> Self {
        Self::at(SystemTime::now(), table, change)
    }

    fn at(time: SystemTime, table: &'a str, change: &'a Change) -> Self {
        Self {
            time: humantime::format_rfc3339_seconds(time).to_string(),
            table,
            change,
        }
    }

    /// Returns the lines for a person: one, or several for the first check of a table with
    /// differences.
    pub(super) fn texts(&self) -> Vec<String> {
        let line = |text: String| format!("{} table {}: {text}", self.time, self.table);
        let text = match self.change {
            Change::Begin { differences, .. } if !differences.is_empty() => {
                let count = plural(count_of(differences.len()), "difference");
                let drift = differences
                    .iter()
                    .map(|one| format!("drift: {}", one.sentence));
                let first = std::iter::once(format!("NOT OK: {count}"));
                return first.chain(drift).map(line).collect();
            }
            Change::Begin { unproved, .. } | Change::Ok { unproved } => match unproved {
                None => "OK".to_owned(),
                Some(reason) => format!("OK; {reason}"),
            },
            Change::Drift { difference } => format!("drift: {}", difference.sentence),
            Change::Gone { difference } => format!("fixed: {}", difference.sentence),
            Change::CannotLook { reason } => format!("cannot look: {reason}"),
            Change::LooksAgain => "looking again".to_owned(),
            Change::Deleted => "deleted".to_owned(),
        };
        vec![line(text)]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fluo_keys::Difference;

    use super::*;
    use crate::table::verdict_text::ToldDifference;

    const NO_ROWS: &str = "it has no rows, so evenness is not proved";

    fn missing(split: &str) -> ToldDifference {
        let splits = vec![split.to_owned()];
        ToldDifference::from(&Difference::MissingSplits { splits })
    }

    fn begin(differences: &[&str], unproved: Option<&str>) -> Change {
        Change::Begin {
            differences: differences.iter().map(|split| missing(split)).collect(),
            unproved: unproved.map(str::to_owned),
        }
    }

    fn ok(unproved: Option<&str>) -> Change {
        let unproved = unproved.map(str::to_owned);
        Change::Ok { unproved }
    }

    fn drift(split: &str) -> Change {
        let difference = missing(split);
        Change::Drift { difference }
    }

    fn cannot_look(reason: &str) -> Change {
        let reason = reason.to_owned();
        Change::CannotLook { reason }
    }

    fn at(change: &Change) -> Line<'_> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_599_900);
        Line::at(time, "pages", change)
    }

    #[test]
    fn prints_each_change_with_its_time() {
        let no_rows = format!("OK; {NO_ROWS}");
        let difference = missing("a");
        for (change, expected) in [
            (begin(&[], None), "OK"),
            (begin(&[], Some(NO_ROWS)), no_rows.as_str()),
            (drift("a"), "drift: the split point `a` is missing"),
            (
                Change::Gone { difference },
                "fixed: the split point `a` is missing",
            ),
            (ok(None), "OK"),
            (ok(Some(NO_ROWS)), no_rows.as_str()),
            (cannot_look("no proxy"), "cannot look: no proxy"),
            (Change::LooksAgain, "looking again"),
            (Change::Deleted, "deleted"),
        ] {
            assert_eq!(
                at(&change).texts(),
                [format!("2025-12-31T23:59:59Z table pages: {expected}")]
            );
        }
        assert_eq!(
            at(&begin(&["a", "b"], None)).texts(),
            [
                "2025-12-31T23:59:59Z table pages: NOT OK: 2 differences",
                "2025-12-31T23:59:59Z table pages: drift: the split point `a` is missing",
                "2025-12-31T23:59:59Z table pages: drift: the split point `b` is missing",
            ]
        );
    }

    #[test]
    fn serializes_a_change_with_its_data() {
        for (change, expected) in [
            (begin(&[], None), r#""event":"begin","differences":[]"#),
            (
                ok(Some(NO_ROWS)),
                r#""event":"ok","unproved":"it has no rows, so evenness is not proved""#,
            ),
            (
                drift("a"),
                r#""event":"drift","difference":{"kind":"missing_splits","splits":["a"],"sentence":"the split point `a` is missing"}"#,
            ),
            (cannot_look("x"), r#""event":"cannot_look","reason":"x""#),
            (Change::Deleted, r#""event":"deleted""#),
        ] {
            assert_eq!(
                serde_json::to_string(&at(&change)).unwrap(),
                format!(r#"{{"time":"2025-12-31T23:59:59Z","table":"pages",{expected}}}"#)
            );
        }
    }
}
