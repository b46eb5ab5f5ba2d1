//! Options of a clone.

use std::collections::{BTreeMap, BTreeSet};

/// Options of [`clone_table`](crate::TableOperations::clone_table).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::CloneOptions;
///
/// let mut options = CloneOptions::default();
/// options.set.insert("table.custom.origin".to_owned(), "pages".to_owned());
/// assert!(options.flush);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneOptions {
    /// `true` to flush the table first, so that the clone contains entries that are only in memory;
    /// `true` unless set.
    pub flush: bool,
    /// Properties that the clone gets in addition to those of the table. They override properties
    /// of the same name.
    pub set: BTreeMap<String, String>,
    /// Properties of the table that the clone does not get.
    pub exclude: BTreeSet<String>,
}

impl Default for CloneOptions {
    fn default() -> Self {
        Self { flush: true, set: BTreeMap::new(), exclude: BTreeSet::new() }
    }
}
