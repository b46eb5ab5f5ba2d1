//! What a compaction compacts, and how.

use crate::data::{Bytes, IteratorSetting};
use crate::dialect::CompactionPlan;

/// What [`compact`](crate::TableOperations::compact) compacts, and how: all files of the whole table, memory included,
/// and it waits for the end, unless set.
///
/// ```
/// use accumulo_proxy::Compaction;
///
/// let compaction = Compaction::default().rows(Some("a"), None::<&str>);
/// assert!(compaction.wait && compaction.end_row.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Tablets with rows after this one; none is the start of the table.
    pub start_row: Option<Bytes>,
    /// Tablets with rows up to and including this one; none is the end of the table.
    pub end_row: Option<Bytes>,
    /// Iterators of this compaction alone, besides those of the table: what they leave out is gone.
    pub iterators: Vec<IteratorSetting>,
    /// Whether the tablets are flushed first, so that what is only in memory is compacted too; true unless set.
    pub flush: bool,
    /// Whether to wait for the end; true unless set.
    pub wait: bool,
    /// Which files; all unless set.
    pub plan: CompactionPlan,
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            start_row: None,
            end_row: None,
            iterators: Vec::new(),
            flush: true,
            wait: true,
            plan: CompactionPlan::default(),
        }
    }
}

impl Compaction {
    /// Compacts the tablets with rows after `start`, up to and including `end`.
    #[must_use]
    pub fn rows(self, start: Option<impl Into<Bytes>>, end: Option<impl Into<Bytes>>) -> Self {
        Self {
            start_row: start.map(Into::into),
            end_row: end.map(Into::into),
            ..self
        }
    }

    /// Adds an iterator.
    #[must_use]
    pub fn iterator(mut self, iterator: IteratorSetting) -> Self {
        self.iterators.push(iterator);
        self
    }

    /// Does not wait for the end.
    #[must_use]
    pub fn without_waiting(self) -> Self {
        Self {
            wait: false,
            ..self
        }
    }

    /// Chooses files.
    #[must_use]
    pub fn plan(self, plan: CompactionPlan) -> Self {
        Self { plan, ..self }
    }
}
