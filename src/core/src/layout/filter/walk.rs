//! How far a filter has come in a column.

use crate::layout::stamp::Section;

/// Where in a column a filter looks next: what comes before may be passed over unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooksNext {
    /// At the first entry at or below this timestamp.
    AtOrBelow(i64),
    /// At nothing more of the column.
    Nowhere,
}

/// The newest stamp that a filter still looks at; none once it has seen enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk(Option<i64>);

impl Walk {
    /// At the beginning of a column.
    pub(super) fn begin() -> Self {
        Self(Some(i64::MAX))
    }

    /// Whether the entry of this stamp is looked at.
    pub(super) fn looks_at(self, stamp: i64) -> bool {
        self.0.is_some_and(|newest| stamp <= newest)
    }

    /// Where it goes on.
    pub(super) fn looks_next(self) -> LooksNext {
        self.0.map_or(LooksNext::Nowhere, LooksNext::AtOrBelow)
    }

    /// Goes on with a section.
    pub(super) fn skip_to(&mut self, section: Section) {
        self.skip_to_stamp(section.newest());
    }

    /// Goes on with the first entry at or below a stamp.
    pub(super) fn skip_to_stamp(&mut self, stamp: i64) {
        self.0 = Some(stamp);
    }

    /// Looks at nothing more.
    pub(super) fn end(&mut self) {
        self.0 = None;
    }
}
