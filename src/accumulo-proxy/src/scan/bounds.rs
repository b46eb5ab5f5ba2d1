//! Ranges that mean on the proxy what they say.
//!
//! For a batch scan the proxy takes every start as inclusive and every stop as exclusive, whatever it is told. So both
//! are written that way: the neighbour of a key in Accumulo's order is known.

use bytes::Bytes;

use crate::data::{Key, Range};

/// Whether no key can be in a range. The proxy fails at a range that ends before it starts.
pub(super) fn is_empty(range: &Range) -> bool {
    match (&range.start, &range.stop) {
        (Some(start), Some(stop)) => {
            start > stop || (start == stop && !(range.start_inclusive && range.stop_inclusive))
        }
        _ => false,
    }
}

/// The same range with an inclusive start and an exclusive stop.
pub(super) fn half_open(range: &Range) -> Range {
    let start = range
        .start
        .as_ref()
        .map(|start| match range.start_inclusive {
            true => start.clone(),
            false => successor(start),
        });
    let stop = range.stop.as_ref().map(|stop| match range.stop_inclusive {
        true => successor(stop),
        false => stop.clone(),
    });
    Range::between(start, stop)
}

/// The next key: newest first, it is the same key one tick earlier. After the earliest tick comes the next
/// visibility, at its newest.
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
            start: Some(Key::of_row("r").at(start)),
            start_inclusive,
            stop: Some(Key::of_row("r").at(stop)),
            stop_inclusive,
        }
    }

    #[test]
    fn nothing_lies_between_a_key_and_its_successor() {
        let key = Key::of_row("r").in_column("f", "q").at(5);
        assert_eq!(successor(&key), key.clone().at(4));
        let earliest = key.clone().at(i64::MIN);
        let next = successor(&earliest);
        assert!(earliest < next);
        assert_eq!(next, key.with_visibility("\0").at(i64::MAX));
    }

    #[test]
    fn a_range_of_a_batch_scan_starts_inclusive_and_stops_exclusive() {
        // Newest first: 9 comes before 3.
        assert_eq!(
            half_open(&range(9, true, 3, false)),
            range(9, true, 3, false)
        );
        assert_eq!(
            half_open(&range(9, false, 3, true)),
            range(8, true, 2, false)
        );
        assert_eq!(half_open(&Range::all()), Range::between(None, None));
    }

    #[test]
    fn a_range_without_keys_is_empty() {
        assert!(is_empty(&range(3, true, 9, true)));
        assert!(is_empty(&range(3, false, 3, true)));
        assert!(is_empty(&range(3, true, 3, false)));
        assert!(!is_empty(&range(3, true, 3, true)));
        assert!(!is_empty(&Range::all()));
    }
}
