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
}

impl<'a> Line<'a> {
    pub(super) fn now(table: &'a str, change: &'a Change) -> Self {
        Self::at(SystemTime::now(), table, change)
    }

    fn at(time: SystemTime, table: &'a str, change: &'a Change) -> Self {
        let (event, differences, difference, reason) = match change {
            Change::Begin(all) => (Event::Begin, Some(all.as_slice()), None, None),
            Change::Appeared(text) => (Event::Drift, None, Some(text.as_str()), None),
            Change::Gone(text) => (Event::Gone, None, Some(text.as_str()), None),
            Change::Ok => (Event::Ok, None, None, None),
            Change::CannotLook(text) => (Event::CannotLook, None, None, Some(text.as_str())),
            Change::LooksAgain => (Event::LooksAgain, None, None, None),
        };
        Self {
            time: humantime::format_rfc3339_seconds(time).to_string(),
            table,
            event,
            differences,
            difference,
            reason,
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
                std::iter::once(told(&summary(differences.len())))
                    .chain(drift)
                    .collect()
            }
            Event::Drift => vec![told(&format!("drift: {difference}"))],
            Event::Gone => vec![told(&format!("gone: {difference}"))],
            Event::Ok => vec![told(&summary(0))],
            Event::CannotLook => vec![told(&format!("cannot look: {reason}"))],
            Event::LooksAgain => vec![told("looking again")],
        }
    }
}

fn summary(differences: usize) -> String {
    match differences {
        0 => "OK".to_owned(),
        count => format!("NOT OK: {}", plural(count_of(count), "difference")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(change: &Change) -> Line<'_> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_599_900);
        Line::at(time, "pages", change)
    }

    #[test]
    fn each_change_is_a_line_with_its_time() {
        let text = |text: &str| text.to_owned();
        for (change, expected) in [
            (Change::Begin(vec![]), "OK"),
            (Change::Appeared(text("a")), "drift: a"),
            (Change::Gone(text("a")), "gone: a"),
            (Change::Ok, "OK"),
            (
                Change::CannotLook(text("no proxy")),
                "cannot look: no proxy",
            ),
            (Change::LooksAgain, "looking again"),
        ] {
            assert_eq!(
                at(&change).texts(),
                [format!("2025-12-31T23:59:59Z table pages: {expected}")]
            );
        }
        let begin = Change::Begin(vec![text("a"), text("b")]);
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
            json(&Change::Begin(vec![])),
            r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"begin","differences":[]}"#
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
