//! What the filters of transactions show of a column, entry by entry.
//!
//! Each is a small machine for one column. It is fed the entries of the column in stored order, from the first on,
//! and says of each whether it is shown. It keeps a few numbers, so a column may have any number of entries. What it
//! will not look at anyway may be left out ([`LooksNext`]): most columns are decided by their first few entries.
//!
//! They say the same as Fluo's iterators on the servers, on which the filters run where there are servers. In one case
//! those throw, and a scan fails: on an entry that none of ours can be, by its timestamp or its value. Here it is
//! shown, if the filter comes to it, so that the reader meets it and can say where the damage is.

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
pub use walk::LooksNext;
