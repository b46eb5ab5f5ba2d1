//! The entries of transactions that a compaction may drop: the rules of Fluo's iterators for
//! compactions.
//!
//! Each rule handles one column. It processes all entries of it that the compaction sees, and
//! returns at the end those that may be dropped. A table drops all of them at once or none:
//! dropping only a part could reveal hidden entries.

#[cfg(test)]
mod history;
#[cfg(test)]
mod tests;

pub use super::notification::notification_garbage;

use std::collections::BTreeSet;

use crate::data::Timestamp;
use crate::layout::{DelLockValue, DelReadLockValue, EntryKind, WriteValue};

/// A collector of the garbage in a column of a cell. It processes the entries in stored order.
///
/// It drops the following entries. No reader at or above the horizon needs them, nor does a query
/// for the status of a transaction:
/// - writes older than the newest one before the horizon, with their values;
/// - values that were rolled back, and locks that have ended;
/// - the traces of a transaction at its primary, once a `TX_DONE` says that it has no lock left.
///
/// The entry of a deletion, the ends of locks and the ends of read locks hide entries that may be
/// stored elsewhere, so they are dropped only if the whole column is processed. If an entry of the
/// column cannot be decoded, nothing is dropped.
#[derive(Clone, Debug, Default)]
pub struct CellGarbage {
    horizon: u64,
    is_full: bool,
    is_damaged: bool,
    dropped: Vec<i64>,
    /// The `TX_DONE` entries that are kept: those of which no referring entry was dropped.
    done: BTreeSet<u64>,
    /// The `TX_DONE` entries that are dropped together with the entries that refer to them.
    done_and_dropped: BTreeSet<u64>,
    rolled_back: BTreeSet<u64>,
    /// The latest start of a transaction that is known to have ended.
    over_up_to: Option<u64>,
    /// The latest start of a committed write. The ends of read locks up to here prevent no lock
    /// that the write does not prevent.
    written_up_to: Option<u64>,
    newest_write: Option<u64>,
    /// The start of the write that a reader at the horizon sees.
    oldest_needed: Option<u64>,
    /// The start of the read lock whose end was seen last.
    ended_read_lock: Option<u64>,
    acknowledgement_was_seen: bool,
}

impl CellGarbage {
    /// Creates the collector at the beginning of a column. `is_full` means that no entries of the
    /// column are stored elsewhere.
    pub fn new(horizon: Timestamp, is_full: bool) -> Self {
        Self { horizon: horizon.get(), is_full, ..Self::default() }
    }

    /// Processes the next entry of the column.
    pub fn look_at(&mut self, stamp: i64, value: &[u8]) {
        let is_kept = match EntryKind::split(stamp) {
            Some((EntryKind::TxDone, timestamp)) => {
                self.done.insert(timestamp);
                Some(true)
            }
            Some((EntryKind::Write, commit)) => self.keeps_write(commit, value),
            Some((EntryKind::DelLock, start)) => self.keeps_del_lock(start, value),
            Some((EntryKind::ReadLock, start)) => {
                let is_ended = self.ended_read_lock == Some(start);
                Some(Some(start) > self.over_up_to && !is_ended)
            }
            Some((EntryKind::DelReadLock, start)) => self.keeps_end_of_read_lock(start, value),
            Some((EntryKind::Lock, start)) => Some(Some(start) > self.over_up_to),
            Some((EntryKind::Ack, start)) => Some(self.keeps_acknowledgement(start)),
            Some((EntryKind::Data, start)) => {
                Some(Some(start) >= self.oldest_needed && !self.rolled_back.contains(&start))
            }
            None => None,
        };
        match is_kept {
            Some(true) => {}
            Some(false) => self.dropped.push(stamp),
            None => self.is_damaged = true,
        }
    }

    /// Returns the timestamps of the entries that may be dropped.
    pub fn finish(mut self) -> Vec<i64> {
        if self.is_damaged {
            return Vec::new();
        }
        let done = self.done_and_dropped.into_iter();
        self.dropped.extend(done.map(|timestamp| EntryKind::TxDone.stamp(timestamp)));
        self.dropped
    }

    fn keeps_write(&mut self, commit: u64, value: &[u8]) -> Option<bool> {
        let write = WriteValue::decode(value).ok()?;
        let start = write.start.get();
        let is_done = self.done.contains(&commit);
        let mut is_kept = write.is_primary && !is_done;
        if self.oldest_needed.is_none() {
            self.newest_write = self.newest_write.or(Some(commit));
            if commit < self.horizon {
                self.oldest_needed = Some(start);
                is_kept |= !(write.is_delete && self.is_full);
            } else {
                is_kept = true;
            }
        }
        self.over_up_to = self.over_up_to.max(Some(start));
        self.written_up_to = self.written_up_to.max(Some(start));
        self.settle(commit, is_kept);
        Some(is_kept)
    }

    fn keeps_del_lock(&mut self, start: u64, value: &[u8]) -> Option<bool> {
        let end = DelLockValue::decode(value).ok()?;
        let done = end.done.get();
        let mut is_kept = end.is_primary && !self.done.contains(&done);
        if end.is_rolled_back {
            self.rolled_back.insert(start);
            is_kept |= !self.is_full;
        }
        self.over_up_to = self.over_up_to.max(Some(start));
        self.settle(done, is_kept);
        Some(is_kept)
    }

    /// Drops the `TX_DONE` of a transaction whose trace is dropped: it has no lock left and no
    /// longer needs the entry.
    fn settle(&mut self, done: u64, is_kept: bool) {
        if !is_kept && self.done.remove(&done) {
            self.done_and_dropped.insert(done);
        }
    }

    fn keeps_end_of_read_lock(&mut self, start: u64, value: &[u8]) -> Option<bool> {
        self.ended_read_lock = Some(start);
        let end = DelReadLockValue::decode(value).ok()?;
        // The end of a lock hides this entry too, but only temporarily: it is dropped regardless of
        // the horizon, in this compaction or once its transaction is done. A writer that began
        // before the commit must find one of the two.
        if Some(start) <= self.written_up_to {
            return Some(false);
        }
        Some(match end {
            _ if !self.is_full => true,
            DelReadLockValue::RolledBack => false,
            DelReadLockValue::Committed(commit) => commit.get() >= self.horizon,
        })
    }

    fn keeps_acknowledgement(&mut self, start: u64) -> bool {
        let is_newest = !std::mem::replace(&mut self.acknowledgement_was_seen, true);
        is_newest && Some(start) >= self.newest_write
    }
}
