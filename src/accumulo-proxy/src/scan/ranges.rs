//! Translation of ranges to their meaning on the proxy.
//!
//! For a batch scan the proxy takes every start as inclusive and every stop as exclusive,
//! regardless of the range. This module translates ranges to that form, which is possible
//! because every key has a known next key in Accumulo's order.

use bytes::Bytes;

use crate::data::{Key, Range};

/// Checks whether a range cannot contain a key. The proxy fails at a range that ends before it
/// starts.
pub(super) fn is_empty(range: &Range) -> bool {
    match (&range.start, &range.stop) {
        (Some(start), Some(stop)) => {
            start > stop || (start == stop && !(range.start_inclusive && range.stop_inclusive))
        }
        _ => false,
    }
}

/// Returns the same range with an inclusive start and an exclusive stop.
pub(super) fn half_open(range: &Range) -> Range {
    let bound = |key: &Option<Key>, stays: bool| {
        key.as_ref().map(|key| if stays { key.clone() } else { successor(key) })
    };
    let start = bound(&range.start, range.start_inclusive);
    Range::between(start, bound(&range.stop, !range.stop_inclusive))
}

/// Returns the next key. Timestamps are ordered newest first, so this is the same key with the
/// timestamp before. After the earliest timestamp follows the next visibility, with the latest
/// timestamp.
fn successor(key: &Key) -> Key {
    match key.timestamp.checked_sub(1) {
        Some(earlier) => key.clone().at(earlier),
        None => {
            let next: Bytes = key.visibility.iter().copied().chain([0]).collect();
            key.clone().with_visibility(next).at(i64::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: i64, start_inclusive: bool, stop: i64, stop_inclusive: bool) -> Range {
        Range {
            start: Some(Key::from_row("r").at(start)),
            start_inclusive,
            stop: Some(Key::from_row("r").at(stop)),
            stop_inclusive,
        }
    }

    #[test]
    fn computes_the_successor_of_a_key() {
        let key = Key::from_row("r").in_column("f", "q").at(5);
        assert_eq!(successor(&key), key.clone().at(4));
        let earliest = key.clone().at(i64::MIN);
        let next = successor(&earliest);
        assert!(earliest < next);
        assert_eq!(next, key.with_visibility("\0").at(i64::MAX));
    }

    #[test]
    fn makes_ranges_of_batch_scans_half_open() {
        // Newest first: 9 comes before 3.
        assert_eq!(half_open(&range(9, true, 3, false)), range(9, true, 3, false));
        assert_eq!(half_open(&range(9, false, 3, true)), range(8, true, 2, false));
        assert_eq!(half_open(&Range::all()), Range::between(None, None));
    }

    #[test]
    fn detects_ranges_without_keys() {
        assert!(is_empty(&range(3, true, 9, true)));
        assert!(is_empty(&range(3, false, 3, true)));
        assert!(is_empty(&range(3, true, 3, false)));
        assert!(!is_empty(&range(3, true, 3, true)));
        assert!(!is_empty(&Range::all()));
    }
}
