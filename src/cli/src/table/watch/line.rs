//! A change as a printed line.

use std::time::SystemTime;

use serde::Serialize;

use super::changes::{Change, Seen};
use crate::table::verdict_text::ToldDifference;
use crate::text::{count_of, plural};

/// A change with its time, as a JSON object or as text.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    /// UTC, as `2026-01-31T23:59:59Z`.
    time: String,
    table: &'a str,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<Vec<ToldDifference<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<ToldDifference<'a>>,
    /// The reason why evenness is not proved, if there are no differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    unproved: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    Begin,
    Drift,
    Gone,
    Ok,
    CannotLook,
    LooksAgain,
    Deleted,
}

impl<'a> Line<'a> {
    pub(super) fn now(table: &'a str, change: &'a Change) -> Self {
        Self::at(SystemTime::now(), table, change)
    }

    fn at(time: SystemTime, table: &'a str, change: &'a Change) -> Self {
        let line = Self {
            time: humantime::format_rfc3339_seconds(time).to_string(),
            table,
            event: Event::Ok,
            differences: None,
            difference: None,
            unproved: None,
            reason: None,
        };
        let (event, difference) = match change {
            Change::Begin(seen) => {
                return Self {
                    event: Event::Begin,
                    differences: Some(seen.differences.iter().map(ToldDifference::from).collect()),
                    ..line.standing(seen)
                };
            }
            Change::Ok(seen) => return line.standing(seen),
            Change::Appeared(difference) => (Event::Drift, Some(difference.into())),
            Change::Gone(difference) => (Event::Gone, Some(difference.into())),
            Change::CannotLook(reason) => {
                return Self {
                    event: Event::CannotLook,
                    reason: Some(reason),
                    ..line
                };
            }
            Change::LooksAgain => (Event::LooksAgain, None),
            Change::Deleted => (Event::Deleted, None),
        };
        Self {
            event,
            difference,
            ..line
        }
    }

    /// Adds the reason why evenness is not proved, if there are no differences.
    fn standing(self, seen: &'a Seen) -> Self {
        let unproved = seen.unproved.as_deref();
        let unproved = unproved.filter(|_| seen.differences.is_empty());
        Self { unproved, ..self }
    }

    /// Returns the lines for a person: one, or several for the first check of a table with
    /// differences.
    pub(super) fn texts(&self) -> Vec<String> {
        let line = |text: &str| format!("{} table {}: {text}", self.time, self.table);
        let difference = self.difference.as_ref();
        let difference = difference.map_or("", |one| one.sentence.as_str());
        let reason = self.reason.unwrap_or_default();
        match self.event {
            Event::Begin => {
                let differences = self.differences.as_deref().unwrap_or_default();
                let drift = differences.iter().map(|one| &one.sentence);
                let drift = drift.map(|text| line(&format!("drift: {text}")));
                std::iter::once(line(&self.summary(differences.len())))
                    .chain(drift)
                    .collect()
            }
            Event::Drift => vec![line(&format!("drift: {difference}"))],
            Event::Gone => vec![line(&format!("fixed: {difference}"))],
            Event::Ok => vec![line(&self.summary(0))],
            Event::CannotLook => vec![line(&format!("cannot look: {reason}"))],
            Event::LooksAgain => vec![line("looking again")],
            Event::Deleted => vec![line("deleted")],
        }
    }

    fn summary(&self, differences: usize) -> String {
        match (differences, self.unproved) {
            (0, None) => "OK".to_owned(),
            (0, Some(reason)) => format!("OK; {reason}"),
            (count, _) => format!("NOT OK: {}", plural(count_of(count), "difference")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fluo_keys::Difference;

    use super::*;

    const NO_ROWS: &str = "it has no rows, so evenness is not proved";

    fn missing(split: &str) -> Difference {
        let splits = vec![split.to_owned()];
        Difference::MissingSplits { splits }
    }

    fn seen(differences: &[&str], unproved: Option<&str>) -> Seen {
        Seen {
            differences: differences.iter().map(|split| missing(split)).collect(),
            unproved: unproved.map(str::to_owned),
        }
    }

    fn at(change: &Change) -> Line<'_> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_599_900);
        Line::at(time, "pages", change)
    }

    #[test]
    fn prints_each_change_with_its_time() {
        let no_rows = format!("OK; {NO_ROWS}");
        for (change, expected) in [
            (Change::Begin(seen(&[], None)), "OK"),
            (Change::Begin(seen(&[], Some(NO_ROWS))), no_rows.as_str()),
            (
                Change::Appeared(missing("a")),
                "drift: the split point `a` is missing",
            ),
            (
                Change::Gone(missing("a")),
                "fixed: the split point `a` is missing",
            ),
            (Change::Ok(seen(&[], None)), "OK"),
            (Change::Ok(seen(&[], Some(NO_ROWS))), no_rows.as_str()),
            (
                Change::CannotLook("no proxy".to_owned()),
                "cannot look: no proxy",
            ),
            (Change::LooksAgain, "looking again"),
            (Change::Deleted, "deleted"),
        ] {
            assert_eq!(
                at(&change).texts(),
                [format!("2025-12-31T23:59:59Z table pages: {expected}")]
            );
        }
        let begin = Change::Begin(seen(&["a", "b"], Some(NO_ROWS)));
        assert_eq!(
            at(&begin).texts(),
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
            (
                Change::Begin(seen(&[], None)),
                r#""event":"begin","differences":[]"#,
            ),
            (
                Change::Ok(seen(&[], Some(NO_ROWS))),
                r#""event":"ok","unproved":"it has no rows, so evenness is not proved""#,
            ),
            (
                Change::Appeared(missing("a")),
                r#""event":"drift","difference":{"kind":"missing_splits","splits":["a"],"sentence":"the split point `a` is missing"}"#,
            ),
            (
                Change::CannotLook("x".to_owned()),
                r#""event":"cannot_look","reason":"x""#,
            ),
        ] {
            assert_eq!(
                serde_json::to_string(&at(&change)).unwrap(),
                format!(r#"{{"time":"2025-12-31T23:59:59Z","table":"pages",{expected}}}"#)
            );
        }
    }
}
