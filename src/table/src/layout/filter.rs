//! The entries of a column that the filters of transactions show.
//!
//! A [`ColumnFilter`] is a small state machine for one column. It processes the entries of the
//! column in stored order, from the first on, and decides for each whether it is shown. It keeps a
//! few numbers, so a column may have any number of entries. Entries that a filter does not need may
//! be skipped: most columns are decided by their first few entries.
//!
//! The filters give the same answers as Fluo's iterators, which run in their place on servers. The
//! exception is an entry that cannot be one of a transaction, because of its timestamp or its
//! value: the iterators throw, and the scan fails. The filters here show such an entry if they
//! reach it, so that the reader can report it.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use super::notification::{NOTIFICATION_FAMILY, Partition, is_deletion};
use crate::data::Timestamp;
use crate::layout::EntryKind::{Ack, Data, DelLock, DelReadLock, Lock, ReadLock, TxDone, Write};
use crate::layout::{DelReadLockValue, EntryKind, WriteValue};

/// The purpose of a lock that a transaction is about to set.
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

/// The purpose of a scan, if it needs less than all visible cells.
///
/// A filter states an intent. [`EntryFilter`](crate::table::EntryFilter) defines its meaning, with
/// [`ColumnFilter`] for the filters of transactions; tables are free in its implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// All visible cells.
    #[default]
    None,
    /// The first visible cell of each row, to count and sample rows.
    FirstOfRow,
    /// At most one entry of each column: the value that was committed last at or before a
    /// timestamp, or instead a lock that may hide a newer value.
    ///
    /// A lock is shown if it started at or before the timestamp, and if no transaction that started
    /// later has committed or rolled back in this cell. It may be the reader's own lock. A deleted
    /// cell shows nothing.
    Snapshot {
        /// The timestamp of the reader.
        at: Timestamp,
    },
    /// At most one entry of one column: the first one that prevents a transaction from locking the
    /// cell.
    ///
    /// These entries are: a write that was committed, or a lock that was rolled back, at or after
    /// the start of the transaction; a lock of any transaction that has not ended; and, for a
    /// transaction that writes, a read lock that has not ended or was committed later than its
    /// start.
    Prewrite(Prewrite),
    /// At most one entry of one column: the one that tells the outcome of the transaction with this
    /// start whose primary is the cell.
    ///
    /// A `WRITE` of its start means that it committed. A `DEL_LOCK` at its start tells how its lock
    /// ended. A `LOCK`, of any transaction, is the current lock of the cell. If nothing is shown,
    /// there is no trace of the transaction.
    TransactionStatus {
        /// The start timestamp of the transaction.
        start: Timestamp,
    },
    /// The `RLOCK` entries of each column that have no `DEL_RLOCK`, even if a write or a rolled
    /// back lock came after them.
    OpenReadLocks,
    /// The pending notifications: the newest entry of each column of notifications, unless it is a
    /// deletion.
    Notifications {
        /// The share of the notifications to return, or `None` for all of them.
        share: Option<Partition>,
    },
    /// The pending notifications that are [unpartitioned](crate::layout::is_unpartitioned), which a
    /// share of [`Notifications`](Self::Notifications) may not contain.
    UnpartitionedNotifications,
}

impl Filter {
    /// Checks whether the filter looks at columns of this family. Of the filters of transactions
    /// only the two of notifications look at the notification family, and they look at no other
    /// family.
    pub fn looks_at_family(self, family: &[u8]) -> bool {
        let is_of_notifications = family == NOTIFICATION_FAMILY.as_bytes();
        match self {
            Self::None | Self::FirstOfRow => true,
            Self::Notifications { .. } | Self::UnpartitionedNotifications => is_of_notifications,
            _ => !is_of_notifications,
        }
    }

    /// Checks whether the filter looks at one column only, the one in which a span starts.
    pub fn is_of_one_column(self) -> bool {
        matches!(self, Self::Prewrite(_) | Self::TransactionStatus { .. })
    }
}

/// The state machine of a filter in one column. It shows every entry for [`Filter::None`] and
/// [`Filter::FirstOfRow`], which [`EntryFilter`](crate::table::EntryFilter) applies.
#[derive(Clone, Debug)]
pub struct ColumnFilter {
    pub(crate) filter: Filter,
    /// The upper bound of the timestamp of the next entry that the filter needs, or `None` if it
    /// needs no further entry of the column. Entries above the bound may be skipped.
    pub(crate) next: Option<i64>,
    /// The latest start of a transaction that is known to have ended.
    over_up_to: Option<u64>,
    /// The start of the read lock whose end was seen last.
    ended_read_lock: Option<u64>,
    /// The timestamp of the value that a snapshot shows.
    value_at: Option<u64>,
}

/// The kind of an entry, and its timestamp.
type Entry = (EntryKind, u64);

/// The decision of a filter on an entry.
enum Step {
    Show,
    /// The entry is shown, and no further one.
    ShowLast,
    Hide,
    /// The entry is hidden, and so are the next ones above this stamp.
    SkipTo(i64),
    /// The entry and all further ones are hidden.
    End,
}

impl ColumnFilter {
    /// Creates the state of a filter at the beginning of a column.
    pub fn new(filter: Filter) -> Self {
        Self {
            filter,
            next: Some(i64::MAX),
            over_up_to: None,
            ended_read_lock: None,
            value_at: None,
        }
    }

    /// Checks whether the next entry of the column is shown.
    pub fn shows(&mut self, stamp: i64, value: &[u8]) -> bool {
        match self.next {
            Some(newest) if stamp <= newest => {}
            _ => return false,
        }
        let step = self.step(stamp, value);
        match step {
            Step::Show | Step::Hide => {}
            Step::SkipTo(stamp) => self.next = Some(stamp),
            Step::ShowLast | Step::End => self.next = None,
        }
        matches!(step, Step::Show | Step::ShowLast)
    }

    fn step(&mut self, stamp: i64, value: &[u8]) -> Step {
        let entry = EntryKind::split(stamp);
        // What is not an entry of a transaction is shown so that the reader can report it.
        match self.filter {
            Filter::None | Filter::FirstOfRow => Step::Show,
            Filter::Notifications { .. } | Filter::UnpartitionedNotifications => {
                if is_deletion(stamp) { Step::End } else { Step::ShowLast }
            }
            Filter::Snapshot { at } => {
                entry.map_or(Step::ShowLast, |entry| self.snapshot_step(at.get(), entry, value))
            }
            Filter::Prewrite(own) => {
                entry.map_or(Step::End, |entry| self.prewrite_step(own, entry, value))
            }
            Filter::TransactionStatus { start } => {
                entry.map_or(Step::ShowLast, |entry| self.status_step(start.get(), entry, value))
            }
            Filter::OpenReadLocks => entry.map_or(Step::Show, |entry| self.read_locks_step(entry)),
        }
    }

    fn snapshot_step(&mut self, at: u64, (kind, timestamp): Entry, value: &[u8]) -> Step {
        match kind {
            TxDone => skip_to(Write),
            Write => match self.end_by_write(value) {
                None => Step::ShowLast,
                Some(start) if timestamp <= at => {
                    self.value_at = Some(start);
                    skip_to(DelLock)
                }
                Some(_) => Step::SkipTo(Write.stamp(at)),
            },
            DelLock => {
                self.over_up_to = self.over_up_to.max(Some(timestamp));
                skip_to(Lock)
            }
            ReadLock | DelReadLock => skip_to(Lock),
            Lock if Some(timestamp) > self.over_up_to && timestamp <= at => Step::ShowLast,
            Data if self.value_at == Some(timestamp) => Step::ShowLast,
            Lock | Ack | Data => match self.value_at {
                Some(start) => Step::SkipTo(Data.stamp(start)),
                None => Step::End,
            },
        }
    }

    fn prewrite_step(&mut self, own: Prewrite, (kind, timestamp): Entry, value: &[u8]) -> Step {
        let start = own.start.get();
        match kind {
            TxDone => skip_to(Write),
            Write => match self.end_by_write(value) {
                Some(_) if timestamp < start => skip_to(DelLock),
                Some(_) | None => Step::ShowLast,
            },
            DelLock => {
                let is_first = Some(timestamp) > self.over_up_to;
                self.over_up_to = self.over_up_to.max(Some(timestamp));
                if is_first && timestamp >= start {
                    return Step::ShowLast;
                }
                skip_to(if own.is_read_lock { Lock } else { ReadLock })
            }
            ReadLock | DelReadLock if own.is_read_lock || Some(timestamp) <= self.over_up_to => {
                skip_to(Lock)
            }
            ReadLock if self.ended_read_lock == Some(timestamp) => Step::Hide,
            ReadLock => Step::ShowLast,
            DelReadLock => {
                self.ended_read_lock = Some(timestamp);
                match DelReadLockValue::decode(value) {
                    Ok(DelReadLockValue::Committed(commit))
                        if timestamp < start && commit <= own.start =>
                    {
                        Step::Hide
                    }
                    // The read lock never counted.
                    Ok(DelReadLockValue::RolledBack) => Step::Hide,
                    Ok(DelReadLockValue::Committed(_)) | Err(_) => Step::ShowLast,
                }
            }
            Lock if Some(timestamp) > self.over_up_to => Step::ShowLast,
            Lock if own.acknowledged_after.is_some() => skip_to(Ack),
            Ack if own.acknowledged_after.is_some_and(|it| timestamp > it.get()) => Step::ShowLast,
            Lock | Ack | Data => Step::End,
        }
    }

    fn status_step(&mut self, own: u64, (kind, timestamp): Entry, value: &[u8]) -> Step {
        match kind {
            TxDone => skip_to(Write),
            Write => match self.end_by_write(value) {
                Some(start) if start > own => Step::Hide,
                Some(start) if start < own => skip_to(DelLock),
                Some(_) | None => Step::ShowLast,
            },
            DelLock => {
                self.over_up_to = self.over_up_to.max(Some(timestamp));
                match timestamp.cmp(&own) {
                    Ordering::Greater => Step::Hide,
                    Ordering::Equal => Step::ShowLast,
                    Ordering::Less => skip_to(Lock),
                }
            }
            ReadLock | DelReadLock => skip_to(Lock),
            Lock if Some(timestamp) > self.over_up_to => Step::ShowLast,
            Lock | Ack => Step::Hide,
            Data => Step::End,
        }
    }

    fn read_locks_step(&mut self, (kind, timestamp): Entry) -> Step {
        match kind {
            TxDone | Write | DelLock => skip_to(ReadLock),
            DelReadLock => {
                self.ended_read_lock = Some(timestamp);
                Step::Hide
            }
            ReadLock if self.ended_read_lock == Some(timestamp) => Step::Hide,
            ReadLock => Step::Show,
            Lock | Ack | Data => Step::End,
        }
    }

    /// Records the transaction that a write ended, and returns its start, or `None` if the value
    /// cannot be decoded.
    fn end_by_write(&mut self, value: &[u8]) -> Option<u64> {
        let start = WriteValue::decode(value).ok()?.start.get();
        self.over_up_to = self.over_up_to.max(Some(start));
        Some(start)
    }
}

fn skip_to(kind: EntryKind) -> Step {
    Step::SkipTo(kind.newest())
}
