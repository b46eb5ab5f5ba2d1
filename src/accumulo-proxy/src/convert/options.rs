//! Options of scans and writers.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{ToWire, all_to_wire, bytes_set};
use crate::data::{BatchScanOptions, ConditionalWriterOptions, ScanOptions};
use crate::wire::interface as wire;

impl ToWire for ScanOptions {
    type Wire = wire::ScanOptions;

    fn to_wire(&self) -> wire::ScanOptions {
        wire::ScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            self.range.to_wire(),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            None,
        )
    }
}

impl ToWire for BatchScanOptions {
    type Wire = wire::BatchScanOptions;

    fn to_wire(&self) -> wire::BatchScanOptions {
        wire::BatchScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            all_to_wire(&self.ranges),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            self.threads.map(|threads| Some(threads).to_wire()),
        )
    }
}

/// Converts a list, an empty one to an absent one: absent means all columns or no iterators, which
/// an empty list does not guarantee.
fn some_to_wire<T: ToWire>(values: &[T]) -> Option<Vec<T::Wire>> {
    (!values.is_empty()).then(|| all_to_wire(values))
}

impl ToWire for ConditionalWriterOptions {
    type Wire = wire::ConditionalWriterOptions;

    fn to_wire(&self) -> wire::ConditionalWriterOptions {
        let max_memory = self.max_memory_bytes.map(NonZeroUsize::get);
        let timeout = self.timeout.map(whole_millis);
        wire::ConditionalWriterOptions::new(
            max_memory.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            timeout.map(|millis| i64::try_from(millis).unwrap_or(i64::MAX)),
            self.threads.map(|threads| Some(threads).to_wire()),
            self.authorizations.as_ref().map(bytes_set),
            self.durability.to_wire(),
        )
    }
}

/// Rounds up to whole milliseconds, and to at least one: zero would mean no limit.
fn whole_millis(timeout: Duration) -> u128 {
    timeout.as_micros().div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sends_all_authorizations_as_absent_and_none_as_an_empty_set() {
        assert_eq!(ScanOptions::default().to_wire().authorizations, None);
        let none = ScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
        assert_eq!(BatchScanOptions::default().to_wire().authorizations, None);
        let none = BatchScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
    }

    #[test]
    fn sends_empty_lists_as_absent() {
        let wire = ScanOptions::default().to_wire();
        assert_eq!((wire.columns, wire.iterators), (None, None));
    }
}
