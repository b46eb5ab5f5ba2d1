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
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        Self { time, table, change }
    }

    /// Returns the lines for a person: several for a first check with differences, or else one.
    pub(super) fn texts(&self) -> Vec<String> {
        let line = |text: String| format!("{} table {}: {text}", self.time, self.table);
        let text = match self.change {
            Change::Begin { differences, .. } if !differences.is_empty() => {
                let count = plural(count_of(differences.len()), "difference");
                let first = std::iter::once(format!("NOT OK: {count}"));
                let drift = differences.iter().map(|one| format!("drift: {}", one.sentence));
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
    use fluo_keys::Difference;

    use super::*;
    use crate::table::verdict_text::ToldDifference;

    fn missing() -> ToldDifference {
        let splits = vec!["a".to_owned()];
        ToldDifference::from(&Difference::MissingSplits { splits })
    }

    /// Checks the text and the JSON of each change. The transcripts show a first check with
    /// differences.
    #[test]
    fn prints_each_change_with_its_time_and_its_data() {
        let unproved = || Some("it has no rows".to_owned());
        let reason = || "no proxy".to_owned();
        let difference = r#""difference":{"kind":"missing_splits","splits":["a"],"sentence":"the split point `a` is missing"}"#;
        for (change, text, data) in [
            (
                Change::Begin { differences: vec![], unproved: None },
                "OK",
                r#""begin","differences":[]"#,
            ),
            (
                Change::Ok { unproved: unproved() },
                "OK; it has no rows",
                r#""ok","unproved":"it has no rows""#,
            ),
            (
                Change::Drift { difference: missing() },
                "drift: the split point `a` is missing",
                &format!(r#""drift",{difference}"#),
            ),
            (
                Change::Gone { difference: missing() },
                "fixed: the split point `a` is missing",
                &format!(r#""gone",{difference}"#),
            ),
            (
                Change::CannotLook { reason: reason() },
                "cannot look: no proxy",
                r#""cannot_look","reason":"no proxy""#,
            ),
            (Change::LooksAgain, "looking again", r#""looks_again""#),
            (Change::Deleted, "deleted", r#""deleted""#),
        ] {
            let time = "2025-12-31T23:59:59Z".to_owned();
            let line = Line { time, table: "pages", change: &change };
            assert_eq!(line.texts(), [format!("2025-12-31T23:59:59Z table pages: {text}")]);
            let json = serde_json::to_string(&line).unwrap();
            let start = r#"{"time":"2025-12-31T23:59:59Z","table":"pages","event":"#;
            assert_eq!(json, format!("{start}{data}}}"));
        }
    }
}
