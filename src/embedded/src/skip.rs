//! Passing over what a filter will not look at.

use fluo_core::layout::LooksNext;
use fluo_core::table::View;

use crate::key;

/// Entries that are read before it is worth while to look for the next one anew.
const READ_ON: usize = 16;

/// Counts the entries of a column that were read in vain, and says when to begin anew, and where.
#[derive(Debug, Default)]
pub(crate) struct Skip {
    hidden: usize,
}

impl Skip {
    /// Takes note of an entry that is shown.
    pub(crate) fn shown(&mut self) {
        self.hidden = 0;
    }

    /// Takes note of an entry that is hidden. Where to read on, if it is not at the next one.
    pub(crate) fn hidden(&mut self, view: &View<'_>, stored: &[u8]) -> Option<Vec<u8>> {
        self.hidden += 1;
        if self.hidden < READ_ON {
            return None;
        }
        self.hidden = 0;
        let from = match view.looks_next() {
            LooksNext::Nowhere => key::after_all_versions(key::column_of(stored)),
            LooksNext::AtOrBelow(stamp) => key::first_version(key::column_of(stored), stamp),
        };
        (from.as_slice() > stored).then_some(from)
    }
}
