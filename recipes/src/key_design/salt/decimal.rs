//! The number of a bucket in decimal digits of one width.

/// Two digits, as the guides have it, or as many as the largest of so many buckets needs.
pub(super) fn width(buckets: u32) -> usize {
    let digits = buckets
        .saturating_sub(1)
        .checked_ilog10()
        .unwrap_or_default()
        + 1;
    usize::try_from(digits).unwrap_or_default().max(2)
}

/// The digits of one of so many buckets.
pub(super) fn text(number: u64, buckets: u32) -> Vec<u8> {
    format!("{number:0width$}", width = width(buckets)).into_bytes()
}
