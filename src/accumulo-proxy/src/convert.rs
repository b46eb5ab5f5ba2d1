//! Conversion of the arguments and results of calls whose form on the wire differs.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::data::{
    BatchScanOptions, Bytes, Change, Column, ColumnUpdate, Condition, ConditionalMutation,
    ConditionalOutcome, ConditionalWriterOptions, Entry, ScanOptions,
};
use crate::wire::interface as wire;
use crate::wire::interface::WireValue;

/// An argument that converts to its form on the wire.
pub(crate) trait ToWire {
    type Wire;

    fn to_wire(&self) -> Self::Wire;
}

impl<T: WireValue + Clone> ToWire for T {
    type Wire = Self;

    fn to_wire(&self) -> Self {
        self.clone()
    }
}

impl ToWire for str {
    type Wire = String;

    fn to_wire(&self) -> String {
        self.to_owned()
    }
}

/// A set. The order of the elements has no meaning.
impl<T: WireValue + Ord + Clone> ToWire for [T] {
    type Wire = BTreeSet<T>;

    fn to_wire(&self) -> BTreeSet<T> {
        self.iter().cloned().collect()
    }
}

/// An absent row is the edge of the table.
impl ToWire for Option<&[u8]> {
    type Wire = Option<Bytes>;

    fn to_wire(&self) -> Option<Bytes> {
        self.map(Bytes::copy_from_slice)
    }
}

/// A maximum. Without one, and above the greatest that the wire can express, all are meant.
impl ToWire for Option<usize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.and_then(|most| i32::try_from(most).ok()).unwrap_or(i32::MAX)
    }
}

impl ToWire for Option<NonZeroUsize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.map(NonZeroUsize::get).to_wire()
    }
}

impl ToWire for ColumnUpdate {
    type Wire = wire::ColumnUpdate;

    fn to_wire(&self) -> wire::ColumnUpdate {
        let (value, delete) = match &self.change {
            Change::Put(value) => (Some(value.clone()), None),
            Change::Delete => (None, Some(true)),
        };
        wire::ColumnUpdate::new(
            self.family.clone(),
            self.qualifier.clone(),
            self.visibility.clone(),
            self.timestamp,
            value,
            delete,
        )
    }
}

impl ToWire for Condition {
    type Wire = wire::Condition;

    fn to_wire(&self) -> wire::Condition {
        let column = Column {
            family: self.family.clone(),
            qualifier: self.qualifier.clone(),
            visibility: self.visibility.clone(),
        };
        let iterators = some(&self.iterators);
        wire::Condition::new(column, self.timestamp, self.value.clone(), iterators)
    }
}

impl ToWire for ConditionalMutation {
    type Wire = wire::ConditionalUpdates;

    fn to_wire(&self) -> wire::ConditionalUpdates {
        wire::ConditionalUpdates::new(all_to_wire(&self.conditions), all_to_wire(&self.updates))
    }
}

pub(crate) fn all_to_wire<T: ToWire>(values: &[T]) -> Vec<T::Wire> {
    values.iter().map(ToWire::to_wire).collect()
}

impl ToWire for ScanOptions {
    type Wire = wire::ScanOptions;

    fn to_wire(&self) -> wire::ScanOptions {
        wire::ScanOptions::new(
            self.authorizations.clone(),
            self.range.clone(),
            some(&self.columns),
            some(&self.iterators),
            None,
        )
    }
}

impl ToWire for BatchScanOptions {
    type Wire = wire::BatchScanOptions;

    fn to_wire(&self) -> wire::BatchScanOptions {
        wire::BatchScanOptions::new(
            self.authorizations.clone(),
            self.ranges.clone(),
            some(&self.columns),
            some(&self.iterators),
            self.threads.map(|threads| Some(threads).to_wire()),
        )
    }
}

impl ToWire for ConditionalWriterOptions {
    type Wire = wire::ConditionalWriterOptions;

    fn to_wire(&self) -> wire::ConditionalWriterOptions {
        wire::ConditionalWriterOptions::new(
            None,
            self.timeout.map(whole_millis),
            self.threads.map(|threads| Some(threads).to_wire()),
            self.authorizations.clone(),
            self.durability,
        )
    }
}

/// Rounds up to whole milliseconds, and to at least one: zero would mean no limit.
fn whole_millis(timeout: Duration) -> i64 {
    i64::try_from(timeout.as_micros().div_ceil(1000).max(1)).unwrap_or(i64::MAX)
}

/// Returns an empty list as an absent one: absent means all columns or no iterators, which an empty
/// list does not guarantee.
fn some<T: Clone>(values: &[T]) -> Option<Vec<T>> {
    (!values.is_empty()).then(|| values.to_vec())
}

/// A result that is created from its form `W` on the wire.
pub(crate) trait FromWire<W> {
    fn from_wire(wire: W, subject: Option<&str>) -> Self;
}

impl<T> FromWire<T> for T {
    fn from_wire(wire: T, _: Option<&str>) -> T {
        wire
    }
}

impl<T: Ord> FromWire<Vec<T>> for BTreeSet<T> {
    fn from_wire(values: Vec<T>, _: Option<&str>) -> Self {
        values.into_iter().collect()
    }
}

impl FromWire<wire::KeyValueAndPeek> for (Entry, bool) {
    fn from_wire(next: wire::KeyValueAndPeek, _: Option<&str>) -> Self {
        (next.entry, next.has_next)
    }
}

impl FromWire<wire::ConditionalStatus> for ConditionalOutcome {
    fn from_wire(status: wire::ConditionalStatus, _: Option<&str>) -> Self {
        match status {
            wire::ConditionalStatus::Accepted => Self::Accepted,
            wire::ConditionalStatus::Rejected => Self::Rejected,
            wire::ConditionalStatus::Violated => Self::ConstraintViolation,
            wire::ConditionalStatus::InvisibleVisibility => Self::InvisibleVisibility,
            wire::ConditionalStatus::Unknown => Self::Unknown(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All authorizations are absent: see `tests/frames/requests.txt`.
    #[test]
    fn sends_no_authorizations_as_an_empty_set() {
        let none = ScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
        let none = BatchScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
    }
}
