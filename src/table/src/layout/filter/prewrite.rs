//! The filter that shows the entry which prevents a lock.

use super::walk::{SeekHint, Walk};
use crate::data::Timestamp;
use crate::layout::entry_timestamp::Section;
use crate::layout::{DelReadLockValue, WriteValue};

/// The purpose of a lock that a transaction is about to set; the parameters of [`PrewriteFilter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prewrite {
    /// The start timestamp of the transaction.
    pub start: Timestamp,
    /// True for a read lock: the cell is not written, and must not change.
    pub is_read_lock: bool,
    /// The timestamp of the notification that the transaction processes, if the cell is the
    /// observed one. A later acknowledgement then prevents the lock too.
    pub acknowledged_after: Option<Timestamp>,
}

/// A filter that shows at most one entry of a column: the first one that prevents a transaction
/// from locking the cell.
///
/// These entries are: a write that was committed, or a lock that was rolled back, at or after the
/// start of the transaction; a lock of any transaction that has not ended; and, for a transaction
/// that writes, a read lock that has not ended or was committed later than its start.
#[derive(Clone, Debug)]
pub struct PrewriteFilter {
    start: u64,
    is_read_lock: bool,
    acknowledged_after: Option<u64>,
    walk: Walk,
    /// The latest start of a transaction that is known to have ended.
    over_up_to: Option<u64>,
    /// The start of the read lock whose end was seen last.
    ended_read_lock: Option<u64>,
}

impl PrewriteFilter {
    /// Creates the filter at the beginning of a column.
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
            (Some(Section::DelLock), start) => self.del_lock(start),
            (Some(Section::ReadLock), low) => self.read_lock(low >> 1, low & 1 == 1, value),
            (Some(Section::Lock), start) => Some(start) > self.over_up_to || self.after_locks(),
            (Some(Section::Ack), start) => {
                self.acknowledged_after.is_some_and(|notification| start > notification)
            }
            (Some(Section::Data) | None, _) => false,
        };
        let is_last = matches!(Section::split(stamp).0, Some(Section::Ack | Section::Data) | None);
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
        commit >= self.start || self.skip_to(Section::DelLock)
    }

    fn del_lock(&mut self, start: u64) -> bool {
        if Some(start) > self.over_up_to {
            self.over_up_to = Some(start);
            if start >= self.start {
                return true;
            }
        }
        self.skip_to(if self.is_read_lock { Section::Lock } else { Section::ReadLock })
    }

    fn read_lock(&mut self, start: u64, is_end: bool, value: &[u8]) -> bool {
        if self.is_read_lock || Some(start) <= self.over_up_to {
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
            // The read lock never counted.
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
