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

use fluo_table::{Bytes, Column, Error, Escaped, Key, Result, Span, Timestamp};

use crate::queue::{Buckets, NOTIFICATION_FAMILY, QueueId, entry_row};

/// The column of a pending update.
pub(crate) const UPDATE: Column = column(b"u", b"v");
/// The column of the position at which the next pass begins.
pub(super) const NEXT: Column = column(b"u", b"next");
/// The column of a current value.
pub(super) const CURRENT: Column = column(b"data", b"current");

const fn column(family: &'static [u8], qualifier: &'static [u8]) -> Column {
    Column {
        family: Bytes::from_static(family),
        qualifier: Bytes::from_static(qualifier),
        visibility: Bytes::new(),
    }
}

/// The rows of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) id: QueueId,
    pub(super) buckets: Buckets,
}

impl Layout {
    /// Returns the column of the notifications of buckets.
    pub(super) fn notification(id: &QueueId) -> Column {
        Column::new(NOTIFICATION_FAMILY, format!("cfm:{id}"))
    }

    /// Returns the id of the observer.
    pub(super) fn observer_id(id: &QueueId) -> String {
        format!("combineq-{id}")
    }

    /// Returns the row of a bucket: the prefix of its updates.
    pub(super) fn bucket_row(&self, bucket: u32) -> Bytes {
        Bytes::from(format!("{}:u:{}:", self.id, self.buckets.text(bucket)))
    }

    /// Returns the row of an update.
    pub(super) fn update_row(&self, key: &[u8], sequence: Timestamp) -> Bytes {
        entry_row(&self.bucket_row(self.buckets.of(key)), key, sequence)
    }

    /// Returns the row of the current value of a key.
    pub(super) fn value_row(&self, key: &[u8]) -> Bytes {
        let prefix = self.bucket_of_values(self.buckets.of(key));
        Bytes::from([&*prefix, key].concat())
    }

    /// Returns the prefix of the rows of the current values of a bucket.
    pub(super) fn bucket_of_values(&self, bucket: u32) -> Bytes {
        Bytes::from(format!("{}:d:{}:", self.id, self.buckets.text(bucket)))
    }

    /// Returns the row of the bucket of an update, for a row of this queue.
    pub(super) fn bucket_of_update<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        let length = self.id.as_str().len() + ":u::".len() + self.buckets.digits();
        row.get(..length).unwrap_or_default()
    }

    /// Returns the key of the row of a current value. `None` for another row.
    pub(super) fn key_of_value<'r>(&self, row: &'r [u8]) -> Option<&'r [u8]> {
        let rest = row.strip_prefix(format!("{}:d:", self.id).as_bytes())?;
        let (bucket, key) = rest.split_at_checked(self.buckets.digits())?;
        let key = key.strip_prefix(b":")?;
        let is_bucket = self.buckets.text(self.buckets.of(key)).as_bytes() == bucket;
        is_bucket.then_some(key)
    }

    /// Checks that a notified row is the row of a bucket.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a row of no bucket of this queue, as after
    /// a change of the number of buckets.
    pub(super) fn check_bucket_row(&self, row: &[u8]) -> Result<()> {
        let text = row
            .strip_prefix(format!("{}:u:", self.id).as_bytes())
            .and_then(|rest| rest.strip_suffix(b":"));
        match text.is_some_and(|text| self.buckets.has(text)) {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "`{}` is no bucket of the combine queue `{}`, which has {} buckets; use the number of buckets with \
                 which it was filled",
                Escaped(row),
                self.id,
                self.buckets.count()
            ))),
        }
    }

    /// Returns the pending updates of a key, and no others.
    pub(super) fn updates_of(&self, key: &[u8]) -> Span {
        let bucket_row = self.bucket_row(self.buckets.of(key));
        let first = entry_row(&bucket_row, key, Timestamp::ZERO);
        let last = entry_row(&bucket_row, key, Timestamp::MAX);
        Span::rows(first, Some(fluo_table::row_successor(&last)))
    }
}

/// Returns the updates of a bucket, from the position of the last pass on.
pub(super) fn updates_from(bucket_row: &[u8], next: Option<&[u8]>) -> Span {
    let all = Span::prefix(Bytes::copy_from_slice(bucket_row));
    let Some(next) = next else {
        return all;
    };
    let row = Bytes::from([bucket_row, next].concat());
    let cell = Span::cell(row, &UPDATE);
    let start = cell.end().cloned().unwrap_or_else(|| cell.start().clone());
    Span::between(Key { ..start }, all.end().cloned())
}

#[cfg(test)]
mod tests {
    use fluo_table::{Key, Timestamp};

    use super::{Layout, UPDATE, updates_from};
    use crate::queue::{Buckets, QueueId};

    fn layout(buckets: u32) -> Layout {
        Layout {
            id: QueueId::new("wc").unwrap(),
            buckets: Buckets::new(buckets).unwrap(),
        }
    }

    #[test]
    fn writes_the_rows_of_fluo_recipes() {
        let layout = layout(3);
        let at = Timestamp::new(1).unwrap();
        assert_eq!(
            layout.update_row(b"cat", at),
            &b"wc:u:1:cat\0\0\0\0\0\0\0\x01"[..]
        );
        assert_eq!(layout.value_row(b"dog"), "wc:d:0:dog");
        assert_eq!(layout.bucket_row(2), "wc:u:2:");
        assert_eq!(
            Layout::notification(&layout.id).to_string(),
            "fluoRecipes:cfm:wc"
        );
        assert_eq!(Layout::observer_id(&layout.id), "combineq-wc");
    }

    #[test]
    fn finds_the_key_of_a_current_value() {
        let layout = layout(17);
        for key in [&b""[..], b"cat", b":", b"a:b", &[0, 255]] {
            assert_eq!(layout.key_of_value(&layout.value_row(key)), Some(key));
        }
        for row in [
            &b"wc:d:04:cat"[..],
            b"wc:d:0",
            b"wc:u:03:cat",
            b"wc:d:3:cat",
        ] {
            assert_eq!(layout.key_of_value(row), None, "{row:?}");
        }
    }

    #[test]
    fn accepts_only_its_own_buckets() {
        let layout = layout(17);
        assert!(layout.check_bucket_row(b"wc:u:10:").is_ok());
        for row in [
            &b"wc:u:11:"[..],
            b"wc:u:1:",
            b"wc:u:001:",
            b"wc:d:01:",
            b"wc:u:+1:",
            b"wc:u:01",
            b"x",
        ] {
            assert!(layout.check_bucket_row(row).is_err(), "{row:?}");
        }
    }

    #[test]
    fn continues_after_the_row_of_the_position() {
        let row = |text: &'static [u8]| Key::new(text, UPDATE, 5);
        let all = updates_from(b"wc:u:1:", None);
        let rest = updates_from(b"wc:u:1:", Some(b"k1\0"));
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
        let layout = layout(1);
        let updates = layout.updates_of(b"ca");
        let at = |number| Timestamp::new(number).unwrap();
        for (key, number, is_in) in [
            (&b"ca"[..], 0, true),
            (b"ca", 1 << 59, true),
            (b"cat", 1, false),
            (b"c", 1, false),
        ] {
            let row = layout.update_row(key, at(number));
            assert_eq!(
                updates.contains(&Key::new(row, UPDATE, 1)),
                is_in,
                "{key:?}"
            );
        }
    }
}
