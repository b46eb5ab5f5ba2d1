//! Fluo's iterators that run in the compactions of a table.

use std::collections::BTreeMap;

/// The iterators that run in one kind of compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attached {
    /// The one that drops garbage of cells.
    pub(crate) cells: bool,
    /// The iterator that drops notifications that were withdrawn.
    pub(crate) notifications: bool,
}

impl Attached {
    /// Both, as a compaction gets them that is asked to collect garbage.
    pub(crate) const BOTH: Self = Self { cells: true, notifications: true };

    /// Those that the properties of a table attach in a scope: `minc` or `majc`.
    pub(crate) fn in_scope(properties: &BTreeMap<String, String>, scope: &str) -> Self {
        let has = |name| properties.contains_key(&format!("table.iterator.{scope}.{name}"));
        Self { cells: has("gc"), notifications: has("ntfy") }
    }
}
