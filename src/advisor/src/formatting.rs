//! Figures and names in sentences.

use std::fmt;

use fluo_table::{Escaped, Grouped};

use crate::number::float;

/// The maximum number of bytes of a key in a sentence.
const SHOWN_BYTES: usize = 60;

/// Returns a share in percent, such as `66.7 %`. A share above 0 is not shown as 0 %, and one below
/// 1 not as 100 %.
pub(super) fn percent(share: f64) -> String {
    let shown = format!("{:.1} %", share * 100.0);
    match shown.as_str() {
        "0.0 %" if share > 0.0 => small_percent(share),
        "100.0 %" if share < 1.0 => "more than 99.9 %".to_owned(),
        "100.0 %" => "100 %".to_owned(),
        "0.0 %" => "0 %".to_owned(),
        _ => shown,
    }
}

/// Returns a share below 0.05 % with enough digits to show its size, from 0.001 %.
fn small_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.001 {
        "less than 0.001 %".to_owned()
    } else if percent < 0.01 {
        format!("{percent:.3} %")
    } else {
        format!("{percent:.2} %")
    }
}

/// Returns a count with its noun, such as `1 key` or `2 keys`.
pub(super) fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", Grouped(count))
}

/// Returns a number of bytes with a decimal unit, such as `1.5 GB`.
pub(super) fn bytes(count: u64) -> String {
    let mut amount = float(count);
    for unit in ["bytes", "kB", "MB", "GB", "TB"] {
        if amount < 1_000.0 {
            return if unit == "bytes" {
                plural(count, "byte")
            } else {
                format!("{amount:.1} {unit}")
            };
        }
        amount /= 1_000.0;
    }
    format!("{amount:.1} PB")
}

/// Returns the verb for a count.
pub(super) fn is_or_are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Quotes bytes, in the escaped form.
pub(super) fn quoted(bytes: &[u8]) -> String {
    match bytes.get(..SHOWN_BYTES) {
        Some(shown) if shown.len() < bytes.len() => format!("`{}`..", Escaped(shown)),
        _ => format!("`{}`", Escaped(bytes)),
    }
}

/// Joins names: `a`, `a and b`, or `a, b, and c`.
pub(super) fn listed(names: &[impl fmt::Display]) -> String {
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    match names.as_slice() {
        [one, last] => format!("{one} and {last}"),
        [before @ .., last] if !before.is_empty() => {
            format!("{}, and {last}", before.join(", "))
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_names() {
        assert_eq!(listed(&[] as &[&str]), "");
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b"]), "a and b");
        assert_eq!(listed(&["a", "b", "c"]), "a, b, and c");
    }

    #[test]
    fn quotes_at_most_60_bytes() {
        assert_eq!(quoted(b"a\xff"), r"`a\xff`");
        assert_eq!(quoted(&[b'a'; 60]), format!("`{}`", "a".repeat(60)));
        assert_eq!(quoted(&[b'a'; 61]), format!("`{}`..", "a".repeat(60)));
    }

    #[test]
    fn rounds_figures_for_readers() {
        let shares = [
            0.0,
            0.000_001,
            1.0 / 29_599.0,
            0.0001,
            0.125,
            2.0 / 3.0,
            0.9999,
            1.0,
        ]
        .map(percent);
        let expected = [
            "0 %",
            "less than 0.001 %",
            "0.003 %",
            "0.01 %",
            "12.5 %",
            "66.7 %",
            "more than 99.9 %",
            "100 %",
        ];
        assert_eq!(shares, expected);
        assert_eq!(
            [bytes(0), bytes(1), bytes(999)],
            ["0 bytes", "1 byte", "999 bytes"]
        );
        assert_eq!(bytes(1_500_000_000), "1.5 GB");
        assert_eq!(bytes(u64::MAX), "18446.7 PB");
        assert_eq!(plural(1, "key"), "1 key");
        assert_eq!(plural(29_599, "key"), "29,599 keys");
    }
}
