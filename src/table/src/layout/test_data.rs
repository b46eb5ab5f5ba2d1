//! Samples and strategies for the tests of this module.

use proptest::prelude::*;

use crate::data::{Bytes, Column, RowColumn, Timestamp};
use crate::layout::{ColumnFilter, EntryKind, EntryTimestamp, Filter, Prewrite};

/// An entry of a column: its stored timestamp, and its value.
pub(super) type Entry = (i64, Bytes);

/// Returns bytes as hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the timestamp with a small number.
pub(super) fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

pub(super) fn entry(kind: EntryKind, timestamp: u64, value: Bytes) -> Entry {
    (EntryTimestamp::new(kind, at(timestamp)).encode(), value)
}

pub(super) fn tx_done(timestamp: u64) -> Entry {
    entry(EntryKind::TxDone, timestamp, Bytes::new())
}

pub(super) fn lock(start: u64) -> Entry {
    entry(EntryKind::Lock, start, Bytes::new())
}

pub(super) fn data(start: u64) -> Entry {
    entry(EntryKind::Data, start, Bytes::new())
}

/// Returns entries in the order in which a column stores them.
pub(super) fn in_stored_order(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|(stamp, _)| std::cmp::Reverse(*stamp));
    entries
}

/// Returns the entries of a column, in stored order, that a filter shows.
pub(super) fn shown(column: &[Entry], filter: Filter) -> Vec<Entry> {
    let mut filter = ColumnFilter::new(filter);
    column.iter().filter(|(stamp, value)| filter.shows(*stamp, value)).cloned().collect()
}

/// Returns the only entry that a filter shows.
fn one(column: &[Entry], filter: Filter) -> Option<Entry> {
    let mut shown = shown(column, filter);
    assert!(shown.len() < 2, "{shown:?}");
    shown.pop()
}

pub(super) fn snapshot(column: &[Entry], timestamp: u64) -> Option<Entry> {
    one(column, Filter::Snapshot { at: at(timestamp) })
}

pub(super) fn status(column: &[Entry], start: u64) -> Option<Entry> {
    one(column, Filter::TransactionStatus { start: at(start) })
}

pub(super) fn in_the_way(column: &[Entry], prewrite: Prewrite) -> Option<Entry> {
    one(column, Filter::Prewrite(prewrite))
}

pub(super) fn to_write(start: u64) -> Prewrite {
    Prewrite { start: at(start), is_read_lock: false, acknowledged_after: None }
}

/// Returns a strategy for any timestamp.
pub(super) fn timestamps() -> impl Strategy<Value = Timestamp> {
    (0..=Timestamp::MAX.get()).prop_map(at)
}

/// Returns a strategy for any position of a cell.
pub(super) fn places() -> impl Strategy<Value = RowColumn> {
    let part = || any::<Vec<u8>>().prop_map(Bytes::from);
    (part(), part(), part(), part()).prop_map(|(row, family, qualifier, visibility)| {
        let column = Column { family, qualifier, visibility };
        RowColumn { row, column }
    })
}
