//! The bytes of an export queue in the table.
//!
//! With the id `eq`, bucket `1` and key `cat`:
//!
//! | cell | row | column | value |
//! |---|---|---|---|
//! | entry | `eq:1:cat` and the start timestamp of its transaction, 8 bytes | `e:v` | the value |
//! | position | `eq:1:` | `e:next` | the row at which the next pass begins |
//! | notification | `eq:1:` | `fluoRecipes:eq:eq` | none |
//! | dead letter | `eq!dead:1:cat` and the timestamp | `e:v`, `dead:error` | the value, the error |
//!
//! Source: Apache Fluo Recipes 1.1, `ExportQueue`; the dead letters are ours.

use fluo_table::{Bytes, Column, Error, Escaped, Key, Result, Span, Timestamp};

use crate::queue::{Buckets, NOTIFICATION_FAMILY, QueueId, entry_row};

/// The column of an entry.
pub(crate) const ENTRY: Column = column(b"v");
/// The column of the position at which the next pass begins.
pub(super) const NEXT: Column = column(b"next");

const fn column(qualifier: &'static [u8]) -> Column {
    Column {
        family: Bytes::from_static(b"e"),
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
        Column::new(NOTIFICATION_FAMILY, format!("eq:{id}"))
    }

    /// Returns the id of the observer.
    pub(super) fn observer_id(id: &QueueId) -> String {
        format!("exportq-{id}")
    }

    /// Returns the row of the bucket of a key: the prefix of its entries.
    pub(super) fn bucket_row(&self, key: &[u8]) -> Bytes {
        let bucket = self.buckets.text(self.buckets.of(key));
        Bytes::from(format!("{}:{bucket}:", self.id))
    }

    /// Returns the row of an entry.
    pub(super) fn entry_row(&self, key: &[u8], sequence: Timestamp) -> Bytes {
        entry_row(&self.bucket_row(key), key, sequence)
    }

    /// Checks that a notified row is the row of a bucket.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a row of no bucket of this queue, as after a
    /// change of the number of buckets.
    pub(super) fn check_bucket_row(&self, row: &[u8]) -> Result<()> {
        let text = row
            .strip_prefix(format!("{}:", self.id).as_bytes())
            .and_then(|rest| rest.strip_suffix(b":"));
        match text.is_some_and(|text| self.buckets.has(text)) {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "`{}` is no bucket of the export queue `{}`, which has {} buckets; use the number of buckets with \
                 which it was filled",
                Escaped(row),
                self.id,
                self.buckets.count()
            ))),
        }
    }
}

/// Returns the entries of a bucket, from the position of the last pass on.
pub(super) fn entries_from(bucket_row: &[u8], next: Option<&[u8]>) -> Span {
    let all = Span::prefix(Bytes::copy_from_slice(bucket_row));
    match next.filter(|next| next.starts_with(bucket_row)) {
        None => all,
        Some(next) => Span::between(
            Key::first_of_row(Bytes::copy_from_slice(next)),
            all.end().cloned(),
        ),
    }
}
