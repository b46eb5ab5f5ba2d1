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

use fluo_table::{Bytes, Key, Span};

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
