//! What stands in the way of a lock.

use super::walk::{LooksNext, Walk};
use crate::data::Timestamp;
use crate::layout::stamp::Section;
use crate::layout::{DelReadLockValue, WriteValue};
use crate::planted::{self, PlantedBug};

/// What a transaction is about to do with a cell: what the filter of the same name is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prewrite {
    /// The start of the transaction.
    pub start: Timestamp,
    /// Whether it wants the cell to stay as it is, and not to write it.
    pub is_read_lock: bool,
    /// The timestamp of the notification that the transaction deals with, where the cell is the one that was observed:
    /// then a later acknowledgement stands in the way too.
    pub acknowledged_after: Option<Timestamp>,
}

/// Shows at most one entry of a column: the first that forbids a transaction to lock the cell.
///
/// That is a write committed, or a lock rolled back, at or after its start; a lock of whatever transaction that is not
/// over; for a transaction that writes, a read lock that is not over or that was committed later than its start.
#[derive(Clone, Debug)]
pub struct PrewriteFilter {
    start: u64,
    is_read_lock: bool,
    acknowledged_after: Option<u64>,
    walk: Walk,
    /// The latest start of what is known to be over.
    over_up_to: Option<u64>,
    /// The start of the read lock whose end was seen last.
    ended_read_lock: Option<u64>,
}

impl PrewriteFilter {
    /// At the beginning of a column.
    pub fn new(prewrite: Prewrite) -> Self {
        Self {
            start: prewrite.start.get(),
            is_read_lock: prewrite.is_read_lock,
            acknowledged_after: prewrite.acknowledged_after.map(Timestamp::get),
            walk: Walk::begin(),
            over_up_to: None,
            ended_read_lock: None,
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
            (Some(Section::DelLock), start) => self.del_lock(start),
            (Some(Section::ReadLock), low) => self.read_lock(low >> 1, low & 1 == 1, value),
            (Some(Section::Lock), start) => Some(start) > self.over_up_to || self.after_locks(),
            (Some(Section::Ack), start) => self.acknowledged_after.is_some_and(|notification| {
                start > notification && !planted::is(PlantedBug::AcknowledgementIgnored)
            }),
            (Some(Section::Data) | None, _) => false,
        };
        let is_last = matches!(
            Section::split(stamp).0,
            Some(Section::Ack | Section::Data) | None
        );
        if is_shown || is_last {
            self.walk.end();
        }
        is_shown
    }

    fn write(&mut self, commit: u64, value: &[u8]) -> bool {
        let Ok(WriteValue { start, .. }) = WriteValue::decode(value) else {
            return true;
        };
        self.over_up_to = self.over_up_to.max(Some(start.get()));
        let is_unseen = planted::is(PlantedBug::NewerWritesIgnored)
            || (self.is_read_lock && planted::is(PlantedBug::ReadLockUnchecked));
        (commit >= self.start && !is_unseen) || self.skip_to(Section::DelLock)
    }

    fn del_lock(&mut self, start: u64) -> bool {
        if Some(start) > self.over_up_to {
            self.over_up_to = Some(start);
            if start >= self.start {
                return true;
            }
        }
        self.skip_to(match self.is_read_lock {
            true => Section::Lock,
            false => Section::ReadLock,
        })
    }

    fn read_lock(&mut self, start: u64, is_end: bool, value: &[u8]) -> bool {
        let is_unseen = planted::is(PlantedBug::ReadLocksIgnored);
        if self.is_read_lock || Some(start) <= self.over_up_to || is_unseen {
            return self.skip_to(Section::Lock);
        }
        if !is_end {
            return self.ended_read_lock != Some(start);
        }
        self.ended_read_lock = Some(start);
        match DelReadLockValue::decode(value) {
            Ok(DelReadLockValue::Committed(commit)) => {
                start >= self.start || commit.get() > self.start
            }
            // It never counted.
            Ok(DelReadLockValue::RolledBack) => false,
            Err(_) => true,
        }
    }

    fn after_locks(&mut self) -> bool {
        match self.acknowledged_after {
            Some(_) => self.walk.skip_to(Section::Ack),
            None => self.walk.end(),
        }
        false
    }

    fn skip_to(&mut self, section: Section) -> bool {
        self.walk.skip_to(section);
        false
    }
}
