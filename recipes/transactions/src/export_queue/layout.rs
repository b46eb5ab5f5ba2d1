//! The bytes of an export queue in the table.
//!
//! With the id `eq`, bucket `1` and key `cat`:
//!
//! | cell | row | column | value |
//! |---|---|---|---|
//! | entry | `eq:1:cat` and the start timestamp of its transaction, 8 bytes | `e:v` | the value |
//! | position | `eq:1:` | `e:next` | the row up to which the last pass has read |
//! | notification | `eq:1:` | `fluoRecipes:eq:eq` | none |
//! | dead letter | `eq!dead:1:cat` and the timestamp | `e:v`, `dead:error` | the value, the error |
//!
//! Source: Apache Fluo Recipes 1.1, `ExportQueue`; the dead letters are ours.

use fluo_table::{Bytes, Key, Span, Timestamp};

use crate::queue::{SEQUENCE_BYTES, entry_row};

/// Returns the entries of a bucket, from the position of the last pass on.
///
/// The entries of a key can lie on both sides of the position, with entries of longer keys between
/// them: those of `a` before and after those of `a\0\0\0\0\0\0\x01`. One of them may have been
/// committed before the position since. So the entries begin with the first row of the shortest
/// such key.
pub(super) fn entries_from(bucket_row: &[u8], next: Option<&[u8]>) -> Span {
    let all = Span::prefix(Bytes::copy_from_slice(bucket_row));
    let Some(position) = next.and_then(|next| next.strip_prefix(bucket_row)) else {
        return all;
    };
    let first = match shortest_key_around(position) {
        Some(key) => entry_row(bucket_row, key, Timestamp::ZERO),
        None => Bytes::from([bucket_row, position].concat()),
    };
    Span::between(Key::first_of_row(first), all.end().cloned())
}

/// Returns the shortest key, other than that of a position, that can have entries before and after
/// it: the bytes of the position that follow the key are the sequence at which it divides them.
fn shortest_key_around(position: &[u8]) -> Option<&[u8]> {
    let longest = position.len().checked_sub(SEQUENCE_BYTES)?;
    let keys = (0..longest).filter_map(|length| position.split_at_checked(length));
    let mut around = keys.filter(|(_, rest)| {
        let sequence = rest.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
        sequence.is_some_and(|sequence| sequence > 0 && Timestamp::new(sequence).is_ok())
    });
    around.next().map(|(key, _)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUCKET: &[u8] = b"eq:0:";

    fn row(key: &[u8], sequence: u64) -> Bytes {
        entry_row(BUCKET, key, Timestamp::new(sequence).unwrap())
    }

    fn first_row(next: Option<&[u8]>) -> Bytes {
        entries_from(BUCKET, next).start().row.clone()
    }

    #[test]
    fn begins_at_the_position_or_at_the_start_of_the_bucket() {
        for key in [&b""[..], b"a", b"cat", b"a:b", "日本".as_bytes()] {
            let position = row(key, 300);
            assert_eq!(first_row(Some(&position)), position);
        }
        for other in [None, Some(&b"eq:1:cat"[..])] {
            assert_eq!(first_row(other), BUCKET);
        }
    }

    /// An entry of `a` that was committed before the position, after the pass, was exported after
    /// later ones of `a`.
    #[test]
    fn begins_before_the_position_if_it_divides_the_entries_of_a_shorter_key() {
        let long = b"a\0\0\0\0\0\0\x01";
        let position = row(long, 300);
        assert!(row(b"a", 225) < position && position < row(b"a", 313));
        assert_eq!(first_row(Some(&position)), row(b"a", 0));
        let longer = [&long[..], b"\0\0\0\0\0\0\x02"].concat();
        assert_eq!(first_row(Some(&row(&longer, 5))), row(b"a", 0), "the shortest");
        let position = row(b"\0\0\0\0\0\0\x01x", 5);
        assert_eq!(first_row(Some(&position)), row(b"", 0), "the empty key");
    }
}
