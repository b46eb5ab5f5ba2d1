//! Counts converted to floats, and parts of a whole.

/// Converts a count to a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "a statistic of counts above 2^53 does not need the last digits"
)]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// Converts a length to a float.
pub(crate) fn float_len(len: usize) -> f64 {
    float(count(len))
}

/// Converts a length to a count.
pub(crate) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Returns a part of a whole as a share from 0 to 1, or 0 if the whole is 0.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}

/// Returns the index of the part that contains a position, if `whole` is cut into `parts` equal
/// parts.
///
/// The result is `position * parts / whole`, rounded down and below `parts`.
pub(crate) fn part_of(position: u64, whole: u64, parts: usize) -> usize {
    let parts_wide = u128::from(count(parts));
    let part = u128::from(position) * parts_wide / u128::from(whole.max(1));
    usize::try_from(part)
        .unwrap_or(usize::MAX)
        .min(parts.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_into_equal_parts_and_never_passes_the_last() {
        let parts: Vec<_> = (0..6).map(|position| part_of(position, 6, 3)).collect();
        assert_eq!(parts, [0, 0, 1, 1, 2, 2]);
        assert_eq!(part_of(9, 6, 3), 2);
        assert_eq!(part_of(0, 0, 3), 0);
        assert_eq!(part_of(u64::MAX - 1, u64::MAX, 1_000), 999);
        assert!(share(0, 0).abs() < f64::EPSILON);
    }
}
