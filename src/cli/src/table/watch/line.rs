//! A change, as it is printed.

use std::time::SystemTime;

use serde::Serialize;

use super::changes::Change;
use crate::output::{count_of, plural};

/// A change at a moment, as a JSON object or as text.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    /// UTC, as `2026-01-31T23:59:59Z`.
    time: String,
    table: &'a str,
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
    /// Why evenness is not proved, where there are no differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    unproved: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// What has happened.
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
        let (event, text) = match change {
            Change::Begin(seen) => {
                return Self {
                    event: Event::Begin,
                    differences: Some(&seen.differences),
                    unproved: unproved(&seen.reservation).filter(|_| seen.differences.is_empty()),
                    ..line
                };
            }
            Change::Ok(reservation) => {
                return Self {
                    unproved: unproved(reservation),
                    ..line
                };
            }
            Change::Appeared(text) => (Event::Drift, Some(text.as_str())),
            Change::Gone(text) => (Event::Gone, Some(text.as_str())),
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
            difference: text,
            ..line
        }
    }

    /// The lines for a person: one, but for the first look at a table with differences.
    pub(super) fn texts(&self) -> Vec<String> {
        let told = |text: &str| format!("{} table {}: {text}", self.time, self.table);
        let (difference, reason) = (
            self.difference.unwrap_or_default(),
            self.reason.unwrap_or_default(),
        );
        match self.event {
            Event::Begin => {
                let differences = self.differences.unwrap_or_default();
                let drift = differences
                    .iter()
                    .map(|text| told(&format!("drift: {text}")));
                std::iter::once(told(&self.summary(differences.len())))
                    .chain(drift)
                    .collect()
            }
            Event::Drift => vec![told(&format!("drift: {difference}"))],
            Event::Gone => vec![told(&format!("fixed: {difference}"))],
            Event::Ok => vec![told(&self.summary(0))],
            Event::CannotLook => vec![told(&format!("cannot look: {reason}"))],
            Event::LooksAgain => vec![told("looking again")],
            Event::Deleted => vec![told("deleted")],
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

/// What is not proved, without what parts it from the sentence before.
fn unproved(reservation: &str) -> Option<&str> {
    let reason = reservation.trim_start_matches([';', ' ']);
    (!reason.is_empty()).then_some(reason)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::table::watch::changes::Seen;

    fn seen(differences: &[&str], reservation: &str) -> Change {
        Change::Begin(Seen {
            differences: differences.iter().map(|text| (*text).to_owned()).collect(),
            reservation: reservation.to_owned(),
        })
    }

    fn at(change: &Change) -> Line<'_> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_599_900);
        Line::at(time, "pages", change)
    }

    #[test]
    fn each_change_is_a_line_with_its_time() {
        let text = |text: &str| text.to_owned();
        for (change, expected) in [
            (seen(&[], ""), "OK"),
            (seen(&[], "; it has no rows"), "OK; it has no rows"),
            (Change::Appeared(text("a")), "drift: a"),
            (Change::Gone(text("a")), "fixed: a"),
            (Change::Ok(text("")), "OK"),
            (Change::Ok(text("; it has no rows")), "OK; it has no rows"),
            (
                Change::CannotLook(text("no proxy")),
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
        let begin = seen(&["a", "b"], "; it has no rows");
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
    fn a_line_is_json_with_what_it_is_about() {
        let json = |change: &Change| serde_json::to_string(&at(change)).unwrap();
        assert_eq!(
            json(&seen(&[], "")),
            r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"begin","differences":[]}"#
        );
        assert_eq!(
            json(&Change::Ok("; it has no rows".to_owned())),
            r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"ok","unproved":"it has no rows"}"#
        );
        assert_eq!(
            json(&Change::Appeared("a".to_owned())),
            r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"drift","difference":"a"}"#
        );
        assert_eq!(
            json(&Change::CannotLook("x".to_owned())),
            r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"cannot_look","reason":"x"}"#
        );
    }
}
