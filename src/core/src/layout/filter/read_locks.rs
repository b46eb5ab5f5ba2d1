//! Read locks that nobody has ended.

use super::walk::{LooksNext, Walk};
use crate::layout::stamp::Section;

/// Shows the `RLOCK` entries of a column that have no `DEL_RLOCK`.
///
/// Whether a write or a rolled back lock came after them is not looked at.
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
    /// At the beginning of a column.
    pub fn new() -> Self {
        Self {
            walk: Walk::begin(),
            ended: None,
        }
    }

    /// Where in the column it looks next.
    pub fn looks_next(&self) -> LooksNext {
        self.walk.looks_next()
    }

    /// Whether the next entry of the column is shown.
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
            // No entry of ours: the reader is to see that it is there.
            (None, _) => true,
        }
    }
}
