//! Counts converted to floats, and parts of a whole.

/// Converts a count to a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "a statistic of counts above 2^53 does not need the last digits"
)]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Converts a length to a float.
pub fn float_len(len: usize) -> f64 {
    float(count(len))
}

/// Converts a length to a count.
pub fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Returns a part of a whole as a share from 0 to 1, or 0 if the whole is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_0() {
        assert!(share(0, 0).abs() < f64::EPSILON);
        assert!((share(1, 4) - 0.25).abs() < f64::EPSILON);
    }
}
