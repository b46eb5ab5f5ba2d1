//! What became of a transaction, as its primary tells.

use super::walk::{LooksNext, Walk};
use crate::data::Timestamp;
use crate::layout::WriteValue;
use crate::layout::stamp::Section;

/// Shows at most one entry of a column: the one that says what became of a transaction whose primary the cell is.
///
/// A `WRITE` of its start says that it committed; a `DEL_LOCK` at its start says how its lock ended; a `LOCK`, of
/// whatever transaction, says what is there instead. Nothing says that there is no trace of it.
#[derive(Clone, Debug)]
pub struct StatusFilter {
    start: u64,
    walk: Walk,
    /// The latest start of what is known to be over.
    over_up_to: Option<u64>,
}

impl StatusFilter {
    /// At the beginning of a column.
    pub fn new(start: Timestamp) -> Self {
        Self {
            start: start.get(),
            walk: Walk::begin(),
            over_up_to: None,
        }
    }

    /// Where in the column it looks next.
    pub fn looks_next(&self) -> LooksNext {
        self.walk.looks_next()
    }

    /// Whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64, value: &[u8]) -> bool {
        if !self.walk.looks_at(stamp) {
            return false;
        }
        let is_shown = match Section::split(stamp) {
            (Some(Section::TxDone), _) => self.skip_to(Section::Write),
            (Some(Section::Write), _) => self.write(value),
            (Some(Section::DelLock), start) => self.del_lock(start),
            (Some(Section::ReadLock), _) => self.skip_to(Section::Lock),
            (Some(Section::Lock), start) => Some(start) > self.over_up_to,
            (Some(Section::Ack), _) => false,
            (Some(Section::Data), _) => {
                self.walk.end();
                false
            }
            // No entry of ours: the reader is to see that it is there.
            (None, _) => true,
        };
        if is_shown {
            self.walk.end();
        }
        is_shown
    }

    fn write(&mut self, value: &[u8]) -> bool {
        let Ok(WriteValue { start, .. }) = WriteValue::decode(value) else {
            return true;
        };
        let start = start.get();
        self.over_up_to = self.over_up_to.max(Some(start));
        if start < self.start {
            self.walk.skip_to(Section::DelLock);
        }
        start == self.start
    }

    fn del_lock(&mut self, start: u64) -> bool {
        self.over_up_to = self.over_up_to.max(Some(start));
        if start < self.start {
            self.walk.skip_to(Section::Lock);
        }
        start == self.start
    }

    fn skip_to(&mut self, section: Section) -> bool {
        self.walk.skip_to(section);
        false
    }
}
