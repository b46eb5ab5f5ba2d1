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

/// Whether a text is the digits of one of so many buckets.
pub(super) fn is_text(text: &[u8], number: u64, buckets: u32) -> bool {
    let mut rest = number;
    let are_digits = text.iter().rev().all(|digit| {
        let is_it = u64::from(*digit) == u64::from(b'0') + rest % 10;
        rest /= 10;
        is_it
    });
    are_digits && rest == 0 && text.len() == width(buckets)
}

/// The digits of one of so many buckets.
pub(super) fn text(number: u64, buckets: u32) -> Vec<u8> {
    let (mut text, mut rest) = (vec![b'0'; width(buckets)], number);
    // By hand, as it is done for every row that is written or read: `format!` takes ten times as long.
    for digit in text.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    text
}
