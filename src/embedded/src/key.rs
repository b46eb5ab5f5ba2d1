//! Keys as bytes whose order is the order of the table.
//!
//! ```text
//! row         00 01   each 00 inside a part is written 00 ff
//! family      00 01
//! qualifier   00 01
//! visibility  00 01
//! timestamp           8 bytes, big-endian, all bits but the sign inverted: newest first
//! kind                00 a delete marker, 01 a put
//! ```
//!
//! `00 01` sorts before `00 ff` and before every other byte that can follow, so a part sorts before
//! all longer parts that start with it.

use fluo_table::KeyRef;
use memchr::memchr;

const END_OF_PART: [u8; 2] = [0x00, 0x01];
const ZERO_IN_PART: [u8; 2] = [0x00, 0xff];
const DELETE: u8 = 0x00;
const PUT: u8 = 0x01;

/// A suffix longer and larger than any timestamp and kind: a column's bytes with it sort after all
/// its entries.
const AFTER_ALL_VERSIONS: [u8; 10] = [0xff; 10];

/// The number of bytes of timestamp and kind at the end of a key.
const TIMESTAMP_AND_KIND_BYTES: usize = 9;

/// The key of a stored entry, and whether the entry is a delete marker.
pub(crate) type Entry<'a> = (KeyRef<'a>, bool);

pub(crate) fn push_key(into: &mut Vec<u8>, key: KeyRef<'_>, is_delete: bool) {
    push_column(into, key);
    into.extend_from_slice(&(key.timestamp ^ i64::MAX).to_be_bytes());
    into.push(if is_delete { DELETE } else { PUT });
}

/// Appends the common prefix of the keys of all versions of a column; ignores the timestamp.
pub(crate) fn push_column(into: &mut Vec<u8>, key: KeyRef<'_>) {
    for part in [key.row, key.family, key.qualifier, key.visibility] {
        push_part(into, part);
    }
}

/// Returns the stored key of a put of a column; [`push_column`] wrote the bytes of the column.
pub(crate) fn version(column: &[u8], timestamp: i64) -> Vec<u8> {
    let timestamp = (timestamp ^ i64::MAX).to_be_bytes();
    [column, &timestamp, &[PUT]].concat()
}

/// Returns a bound at the first stored key of a column at or below a timestamp.
pub(crate) fn first_version(column: &[u8], timestamp: i64) -> Vec<u8> {
    let timestamp = (timestamp ^ i64::MAX).to_be_bytes();
    [column, &timestamp, &[DELETE]].concat()
}

pub(crate) fn after_all_versions(column: &[u8]) -> Vec<u8> {
    [column, &AFTER_ALL_VERSIONS].concat()
}

/// Returns the bytes of a stored key without timestamp and kind: those of its column.
pub(crate) fn column_of(stored: &[u8]) -> &[u8] {
    let column_bytes = stored.len().saturating_sub(TIMESTAMP_AND_KIND_BYTES);
    stored.get(..column_bytes).unwrap_or_default()
}

/// Returns a bound at the first stored key at or after `key`.
pub(crate) fn bound(key: KeyRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(key.row.len() + 64);
    push_key(&mut bytes, key, true);
    bytes
}

fn push_part(into: &mut Vec<u8>, part: &[u8]) {
    let mut rest = part;
    while let Some(zero) = memchr(0, rest) {
        let (before, from_zero) = rest.split_at(zero);
        into.extend_from_slice(before);
        into.extend_from_slice(&ZERO_IN_PART);
        rest = from_zero.get(1..).unwrap_or_default();
    }
    into.extend_from_slice(rest);
    into.extend_from_slice(&END_OF_PART);
}

/// A decoder of keys. It has a buffer for keys whose parts contain zero bytes; all others are
/// decoded in place.
#[derive(Debug, Default)]
pub(crate) struct KeyReader {
    unescaped: Vec<u8>,
}

impl KeyReader {
    /// Decodes a key, or returns `None` if the bytes are no key.
    pub(crate) fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Option<Entry<'a>> {
        let (rest, &[kind]) = bytes.split_last_chunk()?;
        let (parts, timestamp) = rest.split_last_chunk()?;
        let is_delete = match kind {
            DELETE => true,
            PUT => false,
            _ => return None,
        };
        let [row, family, qualifier, visibility] = match plain_parts(parts) {
            Some(plain) => plain,
            None => self.escaped_parts(parts)?,
        };
        let key = KeyRef {
            row,
            family,
            qualifier,
            visibility,
            timestamp: i64::from_be_bytes(*timestamp) ^ i64::MAX,
        };
        Some((key, is_delete))
    }

    fn escaped_parts<'a>(&'a mut self, bytes: &[u8]) -> Option<[&'a [u8]; 4]> {
        self.unescaped.clear();
        let mut ends = [0; 4];
        let mut rest = bytes;
        for end in &mut ends {
            rest = unescape_part(rest, &mut self.unescaped)?;
            *end = self.unescaped.len();
        }
        let [row, family, qualifier, visibility] = ends;
        let part = |range| self.unescaped.get(range);
        rest.is_empty().then_some([
            part(0..row)?,
            part(row..family)?,
            part(family..qualifier)?,
            part(qualifier..visibility)?,
        ])
    }
}

/// Returns the four parts if no byte of them is escaped.
fn plain_parts(bytes: &[u8]) -> Option<[&[u8]; 4]> {
    let mut rest = bytes;
    let mut parts: [&[u8]; 4] = [&[]; 4];
    for part in &mut parts {
        let (before, from_zero) = rest.split_at_checked(memchr(0, rest)?)?;
        rest = from_zero.strip_prefix(&END_OF_PART)?;
        *part = before;
    }
    rest.is_empty().then_some(parts)
}

/// Appends the next part, and returns the bytes after it.
fn unescape_part<'a>(bytes: &'a [u8], into: &mut Vec<u8>) -> Option<&'a [u8]> {
    let mut rest = bytes;
    loop {
        let (before, from_zero) = rest.split_at_checked(memchr(0, rest)?)?;
        into.extend_from_slice(before);
        if let Some(after) = from_zero.strip_prefix(&END_OF_PART) {
            return Some(after);
        }
        rest = from_zero.strip_prefix(&ZERO_IN_PART)?;
        into.push(0);
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::table::StoredKey;
    use fluo_table::{Bytes, Column, Key};
    use proptest::prelude::*;

    use super::*;

    fn encode(stored: &StoredKey) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_key(&mut bytes, stored.key.as_ref(), !stored.is_put);
        bytes
    }

    fn part() -> impl Strategy<Value = Bytes> {
        let byte = prop_oneof![Just(0u8), Just(1), Just(2), Just(0xfe), Just(0xff), any::<u8>()];
        proptest::collection::vec(byte, 0..4).prop_map(Bytes::from)
    }

    fn stored_key() -> impl Strategy<Value = StoredKey> {
        let timestamp = prop_oneof![Just(i64::MIN), Just(i64::MAX), -2i64..3, any::<i64>()];
        let parts = (part(), part(), part(), part(), timestamp, any::<bool>());
        parts.prop_map(|(row, family, qualifier, visibility, timestamp, is_delete)| {
            let column = Column { family, qualifier, visibility };
            StoredKey { key: Key::new(row, column, timestamp), is_put: !is_delete }
        })
    }

    #[test]
    fn writes_the_example_of_the_format_document() {
        let document = include_str!("../../../docs/storage-format.md");
        let hex: String = document
            .lines()
            .skip_while(|line| !line.starts_with("<!-- key example"))
            .filter_map(|line| line.split_once("= ").map(|(_, hex)| hex))
            .take(6)
            .collect::<Vec<_>>()
            .join(" ");
        let column = Column::new("page", "u\0i").with_visibility("eu");
        let key = Key::new("org.wikipedia/accumulo", column, 1_700_000_000_000);
        let written = encode(&StoredKey { key, is_put: true });
        let written: Vec<_> = written.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(written.join(" "), hex);
    }

    proptest! {
        #[test]
        fn a_version_is_the_key_of_a_put(stored in stored_key()) {
            let mut column = Vec::new();
            push_column(&mut column, stored.key.as_ref());
            let first = first_version(&column, stored.key.timestamp);
            prop_assert_eq!(first, bound(stored.key.as_ref()));
            let put = StoredKey { is_put: true, ..stored };
            let encoded = encode(&put);
            prop_assert_eq!(column_of(&encoded), &column);
            prop_assert_eq!(version(&column, put.key.timestamp), encoded);
        }

        #[test]
        fn bytes_sort_as_keys_sort(a in stored_key(), b in stored_key()) {
            prop_assert_eq!(encode(&a).cmp(&encode(&b)), a.cmp(&b));
        }

        #[test]
        fn reads_what_it_writes(stored in stored_key()) {
            let bytes = encode(&stored);
            let mut reader = KeyReader::default();
            let (key, is_delete) = reader.read(&bytes).unwrap();
            prop_assert_eq!(StoredKey { key: key.to_key(), is_put: !is_delete }, stored);
        }

        #[test]
        fn any_bytes_are_a_key_or_rejected(
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff), any::<u8>()], 0..40)
        ) {
            let mut reader = KeyReader::default();
            if let Some((key, is_delete)) = reader.read(&bytes) {
                prop_assert_eq!(encode(&StoredKey { key: key.to_key(), is_put: !is_delete }), bytes);
            }
        }

        #[test]
        fn the_bounds_of_a_column_hold_its_versions_only(column in stored_key(), other in stored_key()) {
            let mut from = Vec::new();
            push_column(&mut from, column.key.as_ref());
            let to = after_all_versions(&from);
            let is_version = other.key.row == column.key.row && other.key.column == column.key.column;
            let bytes = encode(&other);
            prop_assert_eq!(from <= bytes && bytes < to, is_version);
        }
    }
}
