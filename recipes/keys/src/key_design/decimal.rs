//! Bucket numbers in decimal digits of one width.

/// Returns the width of bucket numbers: two digits, as is common, or as many as the largest number
/// needs.
pub(super) fn width(buckets: u32) -> usize {
    let digits = buckets
        .saturating_sub(1)
        .checked_ilog10()
        .unwrap_or_default()
        + 1;
    usize::try_from(digits).unwrap_or_default().max(2)
}

/// Checks whether a text is the number of a bucket, in the width for this count of buckets.
pub(super) fn is_text(text: &[u8], number: u64, buckets: u32) -> bool {
    let mut rest = number;
    let are_digits = text.iter().rev().all(|digit| {
        let is_it = u64::from(*digit) == u64::from(b'0') + rest % 10;
        rest /= 10;
        is_it
    });
    are_digits && rest == 0 && text.len() == width(buckets)
}

/// Returns the digits of a bucket number, in the width for this count of buckets.
pub(super) fn text(number: u64, buckets: u32) -> Vec<u8> {
    let (mut text, mut rest) = (vec![b'0'; width(buckets)], number);
    // Written without `format!`, which takes ten times as long, because it runs for every row that
    // is written or read.
    for digit in text.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    text
}
