//! The successor of a row, and the first row after all rows with a prefix.

use crate::data::Bytes;

/// Returns the first byte string after all that start with `prefix`, or `None` if there is none.
///
/// There is none for an empty prefix and for one that consists of `0xff` only: every byte string
/// that is larger than such a prefix starts with it. A trailing `0xff` is removed.
///
/// # Examples
///
/// ```
/// use fluo_table::prefix_successor;
///
/// assert_eq!(prefix_successor(b"p:").as_deref(), Some(&b"p;"[..]));
/// assert_eq!(prefix_successor(b"a\xff\xff").as_deref(), Some(&b"b"[..]));
/// assert_eq!(prefix_successor(b"\xff\xff"), None);
/// assert_eq!(prefix_successor(b""), None);
/// ```
pub fn prefix_successor(prefix: &[u8]) -> Option<Bytes> {
    let kept = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut successor = prefix.get(..=kept)?.to_vec();
    *successor.last_mut()? += 1;
    Some(successor.into())
}

/// Returns the row right after `row`: no byte string lies between the two.
pub fn row_successor(row: &[u8]) -> Bytes {
    [row, &[0]].concat().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edgy_bytes() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![Just(0u8), Just(0xfe), Just(0xff), any::<u8>()], 0..6)
    }

    proptest! {
        #[test]
        fn the_successor_bounds_exactly_the_prefix(prefix in edgy_bytes(), other in edgy_bytes()) {
            let below = prefix_successor(&prefix).is_none_or(|end| other.as_slice() < end.as_ref());
            prop_assert_eq!(other.starts_with(&prefix), other >= prefix && below);
        }

        #[test]
        fn nothing_lies_between_a_row_and_its_successor(row in edgy_bytes(), other in edgy_bytes()) {
            let next = row_successor(&row);
            prop_assert!(next.as_ref() > row.as_slice());
            prop_assert!(other <= row || other.as_slice() >= next.as_ref());
        }
    }
}
