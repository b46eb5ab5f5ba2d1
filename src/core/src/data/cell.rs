//! A key with its value.

use crate::data::{Bytes, Key};

/// A [`Key`] with its value: what a scan yields.
///
/// The bytes of cells of one batch may share one allocation. A caller who keeps a few cells out of many
/// for long copies what it keeps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Where the value stands.
    pub key: Key,
    /// The value; may be empty.
    pub value: Bytes,
}

impl Cell {
    /// A cell of `key` and `value`.
    pub fn new(key: Key, value: impl Into<Bytes>) -> Self {
        Self {
            key,
            value: value.into(),
        }
    }
}
