//! The entries of a column that the filters of transactions show.
//!
//! Each filter is a small state machine for one column. It processes the entries of the column in
//! stored order, from the first on, and decides for each whether it is shown. It keeps a few
//! numbers, so a column may have any number of entries. Entries that a filter does not need may be
//! skipped ([`SeekHint`]): most columns are decided by their first few entries.
//!
//! The filters give the same answers as Fluo's iterators, which run in their place on servers. The
//! exception is an entry that cannot be one of a transaction, because of its timestamp or its
//! value: the iterators throw, and the scan fails. The filters here show such an entry if they
//! reach it, so that the reader can report it.

mod notifications;
mod prewrite;
mod read_locks;
mod snapshot;
mod status;
#[cfg(test)]
mod tests;
mod walk;

pub use notifications::NotificationsFilter;
pub use prewrite::{Prewrite, PrewriteFilter};
pub use read_locks::ReadLocksFilter;
pub use snapshot::SnapshotFilter;
pub use status::StatusFilter;
pub use walk::SeekHint;
