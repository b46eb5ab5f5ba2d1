//! How transactions lie on a table: timestamps and values of entries, what filters show of them, what a compaction
//! may drop. Pure functions: nothing here reads or writes a table.
//!
//! A cell of a transaction stands in one column of the table, the one of its own name. Everything that is known of
//! it stands in this column as well, as entries whose timestamps say what they are ([`EntryStamp`]): locks, committed
//! writes, values. The bytes are Apache Fluo's, so that its clients and its iterators on the servers read them.
//!
//! Values are decoded strictly: bytes that this project would not write are refused as
//! [`Corrupt`](crate::ErrorKind::Corrupt), never taken for something near.

mod damage;
mod del_lock;
mod filter;
mod flagged;
mod lock;
mod notification;
mod read_lock;
#[cfg(test)]
mod samples;
mod stamp;
mod vint;
mod write;

pub mod garbage;

pub use del_lock::{DelLockOutcome, DelLockValue};
pub use filter::{
    LooksNext, NotificationsFilter, Prewrite, PrewriteFilter, ReadLocksFilter, SnapshotFilter,
    StatusFilter,
};
pub use lock::LockValue;
pub use notification::{
    NOTIFICATION_FAMILY, NotificationStamp, Share, notification_column, notification_hash,
    observed_column,
};
pub use read_lock::{DelReadLockValue, ReadLockValue};
pub use stamp::{EntryKind, EntryStamp};
pub use write::WriteValue;
