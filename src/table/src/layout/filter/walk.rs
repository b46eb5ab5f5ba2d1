//! The position of a filter in a column.

use crate::layout::entry_timestamp::Section;

/// The position of the next entry of a column that a filter needs. Entries before it may be
/// skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekHint {
    /// The first entry at or below this timestamp.
    SeekTo(i64),
    /// No further entry of the column.
    NextColumn,
}

/// The newest stamp that a filter still needs, or `None` if it needs no more entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk(Option<i64>);

impl Walk {
    /// Creates the position at the beginning of a column.
    pub(super) fn begin() -> Self {
        Self(Some(i64::MAX))
    }

    /// Checks whether the filter needs the entry with this stamp.
    pub(super) fn looks_at(self, stamp: i64) -> bool {
        self.0.is_some_and(|newest| stamp <= newest)
    }

    /// Returns the position at which the filter continues.
    pub(super) fn looks_next(self) -> SeekHint {
        self.0.map_or(SeekHint::NextColumn, SeekHint::SeekTo)
    }

    /// Continues with a section.
    pub(super) fn skip_to(&mut self, section: Section) {
        self.skip_to_stamp(section.newest());
    }

    /// Continues with the first entry at or below a stamp.
    pub(super) fn skip_to_stamp(&mut self, stamp: i64) {
        self.0 = Some(stamp);
    }

    /// Ends the walk: no more entries are needed.
    pub(super) fn end(&mut self) {
        self.0 = None;
    }
}
