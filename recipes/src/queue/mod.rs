//! The parts that both queues share: ids, buckets, rows with a sequence, dead letters.
//!
//! A queue spreads its keys over buckets by their hash. The entries of a key are rows of its
//! bucket, and each bucket has a notification, so workers process the buckets side by side.

mod buckets;
mod dead;
mod entry;
mod id;
mod options;

pub(crate) use buckets::Buckets;
pub(crate) use dead::{ERROR, bury};
pub(crate) use entry::{EntryRow, dead_prefix, dead_row, entry_row};
pub(crate) use id::QueueId;
pub(crate) use options::{QueueOptions, number};

/// The column family of the notifications of all recipes.
pub(crate) const NOTIFICATION_FAMILY: &[u8] = b"fluoRecipes";
