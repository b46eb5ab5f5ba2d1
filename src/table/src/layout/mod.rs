//! The layout of transactions on a table: timestamps and values of entries, the entries that
//! filters show, the entries that a compaction may drop. Pure functions: nothing here reads or
//! writes a table.
//!
//! A cell of a transaction occupies one column of the table, the one of its own name. All state of
//! the cell is in this column, as entries whose timestamps encode their kind ([`EntryTimestamp`]):
//! locks, committed writes, values. The bytes are those of Apache Fluo, so its clients, and its
//! iterators on the servers, can read them.
//!
//! Values are decoded strictly: bytes that this project would not write are rejected as
//! [`Corrupt`](crate::ErrorKind::Corrupt), and never interpreted as a similar value.

mod entry_timestamp;
mod filter;
mod lock;
mod notification;
#[cfg(test)]
mod test_data;
mod vint;
mod write;

pub mod garbage;

pub use entry_timestamp::{EntryKind, EntryTimestamp};
pub use filter::{ColumnFilter, Filter, Prewrite};
pub use lock::{LockValue, ReadLockValue};
pub use notification::{
    NOTIFICATION_FAMILY, NotificationTimestamp, Partition, is_unpartitioned, notification_column,
    observed_column,
};
pub use write::{DelLockValue, DelReadLockValue, WriteValue};
