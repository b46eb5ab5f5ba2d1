//! Cells, their keys, and the order of a table, with the successors of rows and prefixes.

use std::cmp::Ordering;
use std::fmt;

use crate::data::{Bytes, Column, Escaped};

/// Row, column and timestamp of a cell.
///
/// # Order
///
/// By row, family, qualifier, visibility, each as unsigned bytes; then by timestamp, **newest
/// first**. This is Accumulo's order, and everything sorted in this project is sorted by it.
///
/// # Examples
///
/// ```
/// use fluo_table::{Column, Key};
///
/// let newer = Key::new("row", Column::new("f", "q"), 7);
/// let older = Key::new("row", Column::new("f", "q"), -7);
/// assert!(newer < older);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    /// The row.
    pub row: Bytes,
    /// The column.
    pub column: Column,
    /// The timestamp, in a unit that its writer chooses; milliseconds since 1970 if the table
    /// assigned it.
    pub timestamp: i64,
}

impl Key {
    /// Creates a key from its parts.
    pub fn new(row: impl Into<Bytes>, column: Column, timestamp: i64) -> Self {
        Self { row: row.into(), column, timestamp }
    }

    /// Returns the first possible key of a row.
    pub fn first_of_row(row: impl Into<Bytes>) -> Self {
        Self::new(row, Column::default(), i64::MAX)
    }

    /// Returns the key right after this one: no key lies between the two.
    #[must_use]
    pub fn successor(&self) -> Self {
        let mut next = self.clone();
        match next.timestamp.checked_sub(1) {
            Some(older) => next.timestamp = older,
            None => {
                next.column.visibility = row_successor(&next.column.visibility);
                next.timestamp = i64::MAX;
            }
        }
        next
    }

    /// Returns the same key, borrowed.
    pub fn as_ref(&self) -> KeyRef<'_> {
        KeyRef::new(&self.row, &self.column, self.timestamp)
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_ref().cmp(&other.as_ref())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} @{}", Escaped(&self.row), self.column, self.timestamp)
    }
}

/// A [`Key`] with borrowed bytes, in the same order. Storage engines and
/// [views](crate::table::EntryFilter) use it to avoid copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRef<'a> {
    /// The row.
    pub row: &'a [u8],
    /// The family of the column.
    pub family: &'a [u8],
    /// The qualifier of the column.
    pub qualifier: &'a [u8],
    /// The visibility of the column.
    pub visibility: &'a [u8],
    /// The timestamp.
    pub timestamp: i64,
}

impl<'a> KeyRef<'a> {
    /// Creates a key from its parts.
    pub fn new(row: &'a [u8], column: &'a Column, timestamp: i64) -> Self {
        let Column { family, qualifier, visibility } = column;
        Self { row, family, qualifier, visibility, timestamp }
    }

    /// Returns the same key with its own bytes.
    pub fn to_key(self) -> Key {
        let copy = Bytes::copy_from_slice;
        let column = Column {
            family: copy(self.family),
            qualifier: copy(self.qualifier),
            visibility: copy(self.visibility),
        };
        Key { row: copy(self.row), column, timestamp: self.timestamp }
    }
}

impl Ord for KeyRef<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let parts = |key: &Self| (key.row, key.family, key.qualifier, key.visibility);
        parts(self).cmp(&parts(other)).then_with(|| other.timestamp.cmp(&self.timestamp))
    }
}

impl PartialOrd for KeyRef<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A [`Key`] with its value, as scans yield them.
///
/// The cells of one batch may share one allocation. To keep a few cells of many for a long time,
/// copy them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The key.
    pub key: Key,
    /// The value; may be empty.
    pub value: Bytes,
}

impl Cell {
    /// Creates a cell from `key` and `value`.
    pub fn new(key: Key, value: impl Into<Bytes>) -> Self {
        Self { key, value: value.into() }
    }
}

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

    #[test]
    fn keys_sort_as_accumulo_sorts_them() {
        let column = |f: &'static str, q: &'static str| Column::new(f, q);
        let sorted = [
            Key::new("", column("", ""), 0),
            Key::new("a", column("", "z"), i64::MAX),
            Key::new("a", column("f", ""), 5),
            Key::new("a", column("f", "q"), i64::MAX),
            Key::new("a", column("f", "q"), 0),
            Key::new("a", column("f", "q"), -1),
            Key::new("a", column("f", "q"), i64::MIN),
            Key::new("a", column("f", "q").with_visibility("A"), i64::MAX),
            Key::new("a", column("f", "r"), 0),
            Key::new("a", column("g", ""), 0),
            Key::new("a\0", column("", ""), 0),
            Key::new("ab", column("", ""), 0),
            Key::new(&b"\x7f"[..], column("", ""), 0),
            Key::new(&b"\x80"[..], column("", ""), 0),
            Key::new(&b"\xff"[..], column("", ""), 0),
        ];
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(sorted.iter().all(|key| key.as_ref().to_key() == *key));
    }

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
