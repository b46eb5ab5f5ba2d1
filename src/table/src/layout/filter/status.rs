//! The filter that shows the outcome of a transaction at its primary.

use super::walk::{SeekHint, Walk};
use crate::data::Timestamp;
use crate::layout::WriteValue;
use crate::layout::entry_timestamp::Section;

/// A filter that shows at most one entry of a column: the one that tells the outcome of a
/// transaction whose primary is this cell.
///
/// A `WRITE` of its start means that it committed. A `DEL_LOCK` at its start tells how its lock
/// ended. A `LOCK`, of any transaction, is the current lock of the cell. If nothing is shown, there
/// is no trace of the transaction.
#[derive(Clone, Debug)]
pub struct StatusFilter {
    start: u64,
    walk: Walk,
    /// The latest start of a transaction that is known to have ended.
    over_up_to: Option<u64>,
}

impl StatusFilter {
    /// Creates the filter at the beginning of a column.
    pub fn new(start: Timestamp) -> Self {
        Self { start: start.get(), walk: Walk::begin(), over_up_to: None }
    }

    /// Returns the position in the column of the next entry that the filter needs.
    pub fn looks_next(&self) -> SeekHint {
        self.walk.looks_next()
    }

    /// Checks whether the next entry of the column is shown.
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
            // Not an entry of a transaction: shown so that the reader can report it.
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
