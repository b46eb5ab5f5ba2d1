//! A key with its value.

use crate::data::{Bytes, Key};

/// A [`Key`] with its value, as scans yield them.
///
/// The cells of one batch may share one allocation. To keep a few cells of many for a long time,
/// copy them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The key.
    pub key: Key,
    /// The value; may be empty.
    pub value: Bytes,
}

impl Cell {
    /// Creates a cell from `key` and `value`.
    pub fn new(key: Key, value: impl Into<Bytes>) -> Self {
        Self { key, value: value.into() }
    }
}
