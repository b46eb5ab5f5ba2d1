//! The filter that shows open read locks.

use super::walk::{SeekHint, Walk};
use crate::layout::entry_timestamp::Section;

/// A filter that shows the `RLOCK` entries of a column that have no `DEL_RLOCK`.
///
/// It ignores whether a write or a rolled back lock came after them.
#[derive(Clone, Debug)]
pub struct ReadLocksFilter {
    walk: Walk,
    /// The start of the read lock whose end was seen last.
    ended: Option<u64>,
}

impl Default for ReadLocksFilter {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadLocksFilter {
    /// Creates the filter at the beginning of a column.
    pub fn new() -> Self {
        Self { walk: Walk::begin(), ended: None }
    }

    /// Returns the position in the column of the next entry that the filter needs.
    pub fn looks_next(&self) -> SeekHint {
        self.walk.looks_next()
    }

    /// Checks whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64) -> bool {
        if !self.walk.looks_at(stamp) {
            return false;
        }
        match Section::split(stamp) {
            (Some(Section::TxDone | Section::Write | Section::DelLock), _) => {
                self.walk.skip_to(Section::ReadLock);
                false
            }
            (Some(Section::ReadLock), low) if low & 1 == 1 => {
                self.ended = Some(low >> 1);
                false
            }
            (Some(Section::ReadLock), low) => self.ended != Some(low >> 1),
            (Some(Section::Lock | Section::Ack | Section::Data), _) => {
                self.walk.end();
                false
            }
            // Not an entry of a transaction: shown so that the reader can report it.
            (None, _) => true,
        }
    }
}
