//! The filter that shows the entry of a column that a reader at a timestamp needs.

use super::walk::{SeekHint, Walk};
use crate::data::Timestamp;
use crate::layout::WriteValue;
use crate::layout::entry_timestamp::Section;

/// A filter that shows at most one entry of a column: the value that was committed last at or
/// before a timestamp, or instead a lock that may hide a newer value.
///
/// A lock is shown if it started at or before the timestamp, and if no transaction that started
/// later has committed or rolled back in this cell. It may be the reader's own lock. A deleted cell
/// shows nothing.
#[derive(Clone, Debug)]
pub struct SnapshotFilter {
    at: u64,
    walk: Walk,
    /// The latest start of a transaction that is known to have ended.
    over_up_to: Option<u64>,
    /// The timestamp of the value.
    value_at: Option<u64>,
}

impl SnapshotFilter {
    /// Creates the filter at the beginning of a column.
    pub fn new(at: Timestamp) -> Self {
        Self { at: at.get(), walk: Walk::begin(), over_up_to: None, value_at: None }
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
            (Some(Section::Write), commit) => self.write(commit, value),
            (Some(Section::DelLock), start) => {
                self.over_up_to = self.over_up_to.max(Some(start));
                self.skip_to(Section::Lock)
            }
            (Some(Section::ReadLock), _) => self.skip_to(Section::Lock),
            (Some(Section::Lock), start) => {
                let is_open = Some(start) > self.over_up_to && start <= self.at;
                is_open || self.skip_to_value()
            }
            (Some(Section::Ack), _) => self.skip_to_value(),
            (Some(Section::Data), start) => self.value_at == Some(start) || self.skip_to_value(),
            // Not an entry of a transaction: shown so that the reader can report it.
            (None, _) => true,
        };
        if is_shown {
            self.walk.end();
        }
        is_shown
    }

    fn write(&mut self, commit: u64, value: &[u8]) -> bool {
        let Ok(WriteValue { start, .. }) = WriteValue::decode(value) else {
            return true;
        };
        self.over_up_to = self.over_up_to.max(Some(start.get()));
        if commit <= self.at {
            self.value_at = Some(start.get());
            return self.skip_to(Section::DelLock);
        }
        self.walk.skip_to_stamp(Section::Write.stamp(self.at));
        false
    }

    fn skip_to(&mut self, section: Section) -> bool {
        self.walk.skip_to(section);
        false
    }

    fn skip_to_value(&mut self) -> bool {
        match self.value_at {
            Some(start) => self.walk.skip_to_stamp(Section::Data.stamp(start)),
            None => self.walk.end(),
        }
        false
    }
}
