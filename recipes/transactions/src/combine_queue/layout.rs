//! The bytes of a combine queue in the table and in the configuration.
//!
//! With the id `wc`, bucket `1` and key `cat`:
//!
//! | cell | row | column | value |
//! |---|---|---|---|
//! | pending update | `wc:u:1:cat` and the start timestamp of its transaction, 8 bytes | `u:v` | the update |
//! | current value | `wc:d:1:cat` | `data:current` | the value |
//! | position | `wc:u:1:` | `u:next` | the key at which the next pass begins |
//! | notification | `wc:u:1:` | `fluoRecipes:cfm:wc` | none |
//!
//! Source: Apache Fluo Recipes 1.1, `CombineQueue`. The name `cfm` is that of its predecessor, the
//! collision free map.

use fluo_table::{Bytes, Column, Span, Timestamp};

use crate::queue::StoredQueue;

pub(crate) const CURRENT: Column = Column::from_static("data", "current");

pub(crate) fn value_row(queue: &StoredQueue, key: &[u8]) -> Bytes {
    let prefix = bucket_of_values(queue, queue.buckets.of(key));
    Bytes::from([&*prefix, key].concat())
}

pub(crate) fn values_prefix(queue: &StoredQueue) -> String {
    format!("{}:d:", queue.id)
}

pub(super) fn bucket_of_values(queue: &StoredQueue, bucket: u32) -> Bytes {
    let bucket = queue.buckets.text(bucket);
    Bytes::from(format!("{}{bucket}:", values_prefix(queue)))
}

/// Returns the key of the row of a current value. `None` for another row.
pub(super) fn key_of_value<'r>(queue: &StoredQueue, row: &'r [u8]) -> Option<&'r [u8]> {
    let buckets = queue.buckets;
    let rest = row.strip_prefix(values_prefix(queue).as_bytes())?;
    let (bucket, key) = rest.split_at_checked(buckets.digits())?;
    let key = key.strip_prefix(b":")?;
    let is_bucket = buckets.text(buckets.of(key)).as_bytes() == bucket;
    is_bucket.then_some(key)
}

/// Returns the pending updates of a key, and no others.
pub(super) fn updates_of(queue: &StoredQueue, key: &[u8]) -> Span {
    let first = queue.entry_row(key, Timestamp::ZERO);
    let last = queue.entry_row(key, Timestamp::MAX);
    Span::rows(first, Some(fluo_table::row_successor(&last)))
}

/// Returns the updates of a bucket, from the position of the last pass on.
pub(super) fn updates_from(queue: &StoredQueue, bucket_row: &[u8], next: Option<&[u8]>) -> Span {
    let all = Span::prefix(Bytes::copy_from_slice(bucket_row));
    let Some(next) = next else {
        return all;
    };
    let row = Bytes::from([bucket_row, next].concat());
    let cell = Span::cell(row, queue.entry_column());
    let start = cell.end().cloned().unwrap_or_else(|| cell.start().clone());
    Span::between(start, all.end().cloned())
}

#[cfg(test)]
mod tests {
    use fluo_table::{Key, Timestamp};

    use super::{key_of_value, updates_from, updates_of, value_row};
    use crate::queue::{Buckets, QueueKind, StoredQueue};

    fn queue(buckets: u32) -> StoredQueue {
        let mut queue = StoredQueue::new(QueueKind::Combine, "wc").unwrap();
        queue.buckets = Buckets::new(buckets).unwrap();
        queue
    }

    #[test]
    fn writes_the_rows_of_fluo_recipes() {
        let queue = queue(3);
        let at = Timestamp::new(1).unwrap();
        let update = queue.entry_row(b"cat", at);
        assert_eq!(update, &b"wc:u:1:cat\0\0\0\0\0\0\0\x01"[..]);
        assert_eq!(value_row(&queue, b"dog"), "wc:d:0:dog");
    }

    #[test]
    fn finds_the_key_of_a_current_value() {
        let queue = queue(17);
        for key in [&b""[..], b"cat", b":", b"a:b", &[0, 255]] {
            assert_eq!(key_of_value(&queue, &value_row(&queue, key)), Some(key));
        }
        for row in [&b"wc:d:04:cat"[..], b"wc:d:0", b"wc:u:03:cat", b"wc:d:3:cat"] {
            assert_eq!(key_of_value(&queue, row), None, "{row:?}");
        }
    }

    #[test]
    fn continues_after_the_row_of_the_position() {
        let queue = queue(3);
        let row = |text: &'static [u8]| Key::new(text, queue.entry_column().clone(), 5);
        let all = updates_from(&queue, b"wc:u:1:", None);
        let rest = updates_from(&queue, b"wc:u:1:", Some(b"k1\0"));
        for (key, is_in_all, is_in_rest) in [
            (row(b"wc:u:1:"), true, false),
            (row(b"wc:u:1:k0\0\0\0\0\0\0\0\x01"), true, false),
            (row(b"wc:u:1:k1\0"), true, false),
            (row(b"wc:u:1:k1\0\0\0\0\0\0\0\x01"), true, true),
            (row(b"wc:u:1:k2\0\0\0\0\0\0\0\x01"), true, true),
            (row(b"wc:u:2:"), false, false),
        ] {
            assert_eq!(all.contains(&key), is_in_all, "{key:?}");
            assert_eq!(rest.contains(&key), is_in_rest, "{key:?}");
        }
    }

    #[test]
    fn selects_the_updates_of_a_key_and_of_no_longer_key() {
        let queue = queue(1);
        let updates = updates_of(&queue, b"ca");
        let at = |number| Timestamp::new(number).unwrap();
        for (key, number, is_in) in
            [(&b"ca"[..], 0, true), (b"ca", 1 << 59, true), (b"cat", 1, false), (b"c", 1, false)]
        {
            let row = queue.entry_row(key, at(number));
            let key_of_cell = Key::new(row, queue.entry_column().clone(), 1);
            assert_eq!(updates.contains(&key_of_cell), is_in, "{key:?}");
        }
    }
}
