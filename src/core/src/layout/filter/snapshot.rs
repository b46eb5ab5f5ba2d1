//! What a reader at a timestamp needs to know of a column.

use super::walk::{LooksNext, Walk};
use crate::data::Timestamp;
use crate::layout::WriteValue;
use crate::layout::stamp::Section;
use crate::planted::{self, PlantedBug};

/// Shows at most one entry of a column: the value committed last at or before a timestamp, or instead the lock
/// that leaves open whether there is a newer one.
///
/// A lock is shown if it started at or before the timestamp and nothing that started later was written or rolled
/// back. It may be the reader's own. A deleted cell shows nothing.
#[derive(Clone, Debug)]
pub struct SnapshotFilter {
    at: u64,
    walk: Walk,
    /// The latest start of what is known to be over.
    over_up_to: Option<u64>,
    /// Where the value stands.
    value_at: Option<u64>,
}

impl SnapshotFilter {
    /// At the beginning of a column.
    pub fn new(at: Timestamp) -> Self {
        Self {
            at: at.get(),
            walk: Walk::begin(),
            over_up_to: None,
            value_at: None,
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
            (Some(Section::Write), commit) => self.write(commit, value),
            (Some(Section::DelLock), start) => {
                self.over_up_to = self.over_up_to.max(Some(start));
                self.skip_to(Section::Lock)
            }
            (Some(Section::ReadLock), _) => self.skip_to(Section::Lock),
            (Some(Section::Lock), start) => {
                let is_unseen = planted::is(PlantedBug::LocksNotSeen);
                let is_open = Some(start) > self.over_up_to && start <= self.at && !is_unseen;
                is_open || self.skip_to_value()
            }
            (Some(Section::Ack), _) => self.skip_to_value(),
            (Some(Section::Data), start) => self.value_at == Some(start) || self.skip_to_value(),
            // No entry of ours: the reader is to see that it is there.
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
