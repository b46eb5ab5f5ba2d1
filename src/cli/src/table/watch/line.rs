//! A change as a printed line.

use std::time::SystemTime;

use fluo_keys::Difference;
use serde::Serialize;

use super::changes::{Change, Seen};
use crate::text::{count_of, plural};

/// A change with its time, as a JSON object or as text.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    /// UTC, as `2026-01-31T23:59:59Z`.
    time: String,
    table: &'a str,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<&'a [Difference]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a Difference>,
    /// The reasons why evenness is not proved, if there are no differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    unproved: Option<&'a str>,
    /// `true` if the spec itself makes a server too full and there are no differences.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hot: bool,
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
    Hot,
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
            hot: false,
            reason: None,
        };
        let (event, difference) = match change {
            Change::Begin(seen) => {
                return Self {
                    event: Event::Begin,
                    differences: Some(&seen.differences),
                    ..line.standing(seen)
                };
            }
            Change::Ok(seen) => return line.standing(seen),
            Change::Appeared(difference) => (Event::Drift, Some(difference)),
            Change::Gone(difference) => (Event::Gone, Some(difference)),
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

    /// Adds the reasons why evenness is not proved, and whether a server is too full, if there are
    /// no differences.
    fn standing(self, seen: &'a Seen) -> Self {
        if !seen.differences.is_empty() {
            return self;
        }
        Self {
            event: if seen.is_hot { Event::Hot } else { Event::Ok },
            unproved: unproved(&seen.reservation),
            hot: seen.is_hot,
            ..self
        }
    }

    /// Returns the lines for a person: one, or several for the first check of a table with
    /// differences.
    pub(super) fn texts(&self) -> Vec<String> {
        let line = |text: &str| format!("{} table {}: {text}", self.time, self.table);
        let difference = self.difference.map(ToString::to_string).unwrap_or_default();
        let reason = self.reason.unwrap_or_default();
        match self.event {
            Event::Begin => {
                let differences = self.differences.unwrap_or_default();
                let drift = differences
                    .iter()
                    .map(|text| line(&format!("drift: {text}")));
                std::iter::once(line(&self.summary(differences.len())))
                    .chain(drift)
                    .collect()
            }
            Event::Drift => vec![line(&format!("drift: {difference}"))],
            Event::Gone => vec![line(&format!("fixed: {difference}"))],
            Event::Ok | Event::Hot => vec![line(&self.summary(0))],
            Event::CannotLook => vec![line(&format!("cannot look: {reason}"))],
            Event::LooksAgain => vec![line("looking again")],
            Event::Deleted => vec![line("deleted")],
        }
    }

    fn summary(&self, differences: usize) -> String {
        let ok = if self.hot { "HOT" } else { "OK" };
        match (differences, self.unproved) {
            (0, None) => ok.to_owned(),
            (0, Some(reason)) => format!("{ok}; {reason}"),
            (count, _) => format!("NOT OK: {}", plural(count_of(count), "difference")),
        }
    }
}

/// Returns the reasons without the separator before them, or `None` if there are none.
fn unproved(reservation: &str) -> Option<&str> {
    let reason = reservation.trim_start_matches([';', ' ']);
    (!reason.is_empty()).then_some(reason)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fluo_keys::DifferenceKind::MissingSplits;

    use super::*;

    fn difference(sentence: &str) -> Difference {
        Difference::new(MissingSplits, "split points", 0.5, sentence)
    }

    fn seen(differences: &[&str], reservation: &str) -> Seen {
        Seen {
            differences: differences.iter().map(|text| difference(text)).collect(),
            reservation: reservation.to_owned(),
            ..Seen::default()
        }
    }

    fn hot() -> Seen {
        Seen {
            is_hot: true,
            ..seen(&[], "; server a holds all")
        }
    }

    fn at(change: &Change) -> Line<'_> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_599_900);
        Line::at(time, "pages", change)
    }

    #[test]
    fn prints_each_change_with_its_time() {
        for (change, expected) in [
            (Change::Begin(seen(&[], "")), "OK"),
            (
                Change::Begin(seen(&[], "; it has no rows")),
                "OK; it has no rows",
            ),
            (Change::Begin(hot()), "HOT; server a holds all"),
            (Change::Appeared(difference("a")), "drift: a"),
            (Change::Gone(difference("a")), "fixed: a"),
            (Change::Ok(seen(&[], "")), "OK"),
            (
                Change::Ok(seen(&[], "; it has no rows")),
                "OK; it has no rows",
            ),
            (Change::Ok(hot()), "HOT; server a holds all"),
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
        let begin = Change::Begin(seen(&["a", "b"], "; it has no rows"));
        assert_eq!(
            at(&begin).texts(),
            [
                "2025-12-31T23:59:59Z table pages: NOT OK: 2 differences",
                "2025-12-31T23:59:59Z table pages: drift: a",
                "2025-12-31T23:59:59Z table pages: drift: b",
            ]
        );
    }

    #[test]
    fn serializes_a_change_with_its_data() {
        for (change, expected) in [
            (
                Change::Begin(seen(&[], "")),
                r#""event":"begin","differences":[]"#,
            ),
            (
                Change::Ok(seen(&[], "; it has no rows")),
                r#""event":"ok","unproved":"it has no rows""#,
            ),
            (
                Change::Ok(hot()),
                r#""event":"hot","unproved":"server a holds all","hot":true"#,
            ),
            (
                Change::Appeared(difference("a")),
                r#""event":"drift","difference":{"kind":"missing_splits","subject":"split points","share":0.5,"sentence":"a"}"#,
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
