//! Sentences that several differences share.

use fluo_table::Grouped;

use super::load::Load;
use crate::number::{counted, float_len};

/// The smallest chance that is shown as a number.
const LEAST_SHOWN: f64 = 1e-300;

/// Returns the sentence about a place that is too full.
pub(super) fn too_full(place: &str, counts_rows: bool, load: &Load, places: &str) -> String {
    too_full_of(place, unit(counts_rows), load, places) + hint(counts_rows)
}

/// Returns the sentence about a place that has too many of a unit.
pub(super) fn too_full_of(place: &str, unit: &str, load: &Load, places: &str) -> String {
    let even = load.share * float_len(load.places);
    let expected = if (even - 1.0).abs() < 1e-9 {
        format!("the mean of {}", counted(load.places, places))
    } else {
        let share = load.share * 100.0;
        format!(
            "its share by design, which is {share:.1} % of {}",
            counted(load.places, places)
        )
    };
    format!(
        "{place} holds {} of {} {unit}, {} times {expected}; the limit is {}",
        Grouped(load.largest),
        Grouped(load.total),
        skew(load),
        limit(load),
    )
}

/// Returns the end of a sentence about entries.
pub(super) fn hint(counts_rows: bool) -> &'static str {
    if counts_rows {
        ""
    } else {
        " (tables may estimate their entries until a compaction: a count of the rows decides)"
    }
}

/// Returns the limit with at most two decimals.
pub(super) fn limit(load: &Load) -> String {
    let text = format!("{:.2}", load.limit);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Returns the unit of the counts.
pub(super) fn unit(counts_rows: bool) -> &'static str {
    if counts_rows { "rows" } else { "entries" }
}

/// Returns the load of the fullest place as a multiple of the mean.
pub(super) fn skew(load: &Load) -> String {
    format!("{:.2}", load.skew.unwrap_or_default())
}

/// Formats a chance; one that would be rounded to 0 is shown as a bound.
pub(super) fn p_value(p_value: f64) -> String {
    if p_value < LEAST_SHOWN {
        "p below 1e-300".to_owned()
    } else {
        format!("p = {p_value:.1e}")
    }
}

/// Formats a share in percent with one decimal; neither 0 nor 100 unless it is exactly that.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let permille = (u128::from(part) * 1_000 + u128::from(whole) / 2) / u128::from(whole.max(1));
    match permille {
        0 if part > 0 => "less than 0.1 %".to_owned(),
        1_000 if part < whole => "more than 99.9 %".to_owned(),
        permille => format!("{}.{} %", permille / 10, permille % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers a bug: a chance was shown as `p = 0.0e0`.
    #[test]
    fn shows_a_tiny_chance_as_a_bound() {
        assert_eq!(
            [1.04e-38, 0.0].map(p_value),
            ["p = 1.0e-38", "p below 1e-300"]
        );
    }

    #[test]
    fn rounds_a_share_neither_to_none_nor_to_all() {
        let texts = [(0, 9), (1, 10_000), (1, 3), (9_999, 10_000), (9, 9), (0, 0)]
            .map(|(part, whole)| percent(part, whole));
        assert_eq!(
            texts,
            [
                "0.0 %",
                "less than 0.1 %",
                "33.3 %",
                "more than 99.9 %",
                "100.0 %",
                "0.0 %"
            ]
        );
    }
}
