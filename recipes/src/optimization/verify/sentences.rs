//! Sentences that several differences share.

use super::load::Load;
use crate::number::{counted, float_len, grouped};

/// The smallest chance that is told as a number.
const LEAST_TOLD: f64 = 1e-300;

/// Returns the sentence about a place that is too full.
pub(super) fn too_full(place: &str, counts_rows: bool, load: &Load, places: &str) -> String {
    too_full_of(place, unit(counts_rows), load, places) + hint(counts_rows)
}

/// Returns the sentence about a place that holds too many things of a unit.
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
        grouped(load.largest),
        grouped(load.total),
        skew(load),
        limit(load),
    )
}

/// The end of a sentence about entries.
pub(super) fn hint(counts_rows: bool) -> &'static str {
    if counts_rows {
        ""
    } else {
        " (tables may estimate their entries until a compaction: a count of the rows decides)"
    }
}

/// The limit, to two decimals at most.
pub(super) fn limit(load: &Load) -> String {
    let told = format!("{:.2}", load.limit);
    let told = told.trim_end_matches('0').trim_end_matches('.');
    told.to_owned()
}

/// What is counted.
pub(super) fn unit(counts_rows: bool) -> &'static str {
    if counts_rows { "rows" } else { "entries" }
}

/// How many times the mean the fullest place holds.
pub(super) fn skew(load: &Load) -> String {
    format!("{:.2}", load.skew.unwrap_or_default())
}

/// A chance, as it is told: numbers that a float rounds to 0 are not.
pub(super) fn p_value(p_value: f64) -> String {
    if p_value < LEAST_TOLD {
        "p below 1e-300".to_owned()
    } else {
        format!("p = {p_value:.1e}")
    }
}

/// A share in percent, to a tenth; above 0 and below 100 where there is something of either.
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

    /// A chance was told as `p = 0.0e0`.
    #[test]
    fn a_chance_that_is_rounded_to_nothing_is_below_a_number() {
        assert_eq!(
            [1.04e-38, 0.0].map(p_value),
            ["p = 1.0e-38", "p below 1e-300"]
        );
    }

    #[test]
    fn a_share_is_neither_rounded_to_nothing_nor_to_all() {
        let told = [(0, 9), (1, 10_000), (1, 3), (9_999, 10_000), (9, 9), (0, 0)]
            .map(|(part, whole)| percent(part, whole));
        assert_eq!(
            told,
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
