//! Maximum sizes of values on the wire, in either protocol.
//!
//! ```text
//! field       3 bytes of type and number (compact: 1 to 4)
//! bytes       4 of length (compact: 1 to 5)
//! i64         8 (compact: 1 to 10)
//! container   6 of types and size (compact: up to 7)
//! struct      1 at its end
//! ```

use crate::data::{Bytes, Change, ColumnUpdate, Condition, IteratorSetting};

/// A field with a byte string, without the bytes of the string.
const BYTES_FIELD: usize = 9;
/// A field with an integer.
const INTEGER_FIELD: usize = 14;
/// A field with a container, without its elements, and the end of a structure.
const CONTAINER_FIELD: usize = 12;
/// A byte string that is not a field, without the bytes of the string.
const BARE_BYTES: usize = 5;

pub(super) fn updates(row: &Bytes, updates: &[ColumnUpdate]) -> usize {
    let each: usize = updates.iter().map(update).sum();
    CONTAINER_FIELD + BARE_BYTES + row.len() + each
}

pub(super) fn conditions(conditions: &[Condition]) -> usize {
    let each: usize = conditions.iter().map(condition).sum();
    CONTAINER_FIELD + each
}

fn update(update: &ColumnUpdate) -> usize {
    let value = match &update.change {
        Change::Put(value) => value.len(),
        Change::Delete => 0,
    };
    let visibility = update.visibility.as_ref().map_or(0, Bytes::len);
    let bytes = update.family.len() + update.qualifier.len() + visibility + value;
    // Four byte strings, a timestamp, a flag and the end.
    5 * BYTES_FIELD + INTEGER_FIELD + bytes
}

fn condition(condition: &Condition) -> usize {
    let value = condition.value.as_ref().map_or(0, Bytes::len);
    let column = condition.family.len() + condition.qualifier.len() + condition.visibility.len();
    let iterators: usize = condition.iterators.iter().map(iterator).sum();
    // Column: three byte strings in a structure of its own; value, timestamp, list of iterators.
    5 * BYTES_FIELD + INTEGER_FIELD + CONTAINER_FIELD + column + value + iterators
}

fn iterator(iterator: &IteratorSetting) -> usize {
    let options: usize = iterator
        .options
        .iter()
        .map(|(name, value)| 2 * BARE_BYTES + name.len() + value.len())
        .sum();
    let names = iterator.name.len() + iterator.class.len();
    2 * BYTES_FIELD + INTEGER_FIELD + CONTAINER_FIELD + names + options
}
