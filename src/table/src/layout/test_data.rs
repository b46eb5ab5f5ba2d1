//! Samples and strategies for the tests of this module.

use proptest::prelude::*;

use crate::data::{Bytes, Column, RowColumn, Timestamp};

/// Returns bytes as hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the timestamp with a small number.
pub(super) fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
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
