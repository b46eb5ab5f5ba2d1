//! The parts that both queues share: their stored part, rows with a sequence, codecs, dead letters.
//!
//! A queue spreads its keys over buckets by their hash. The entries of a key are rows of its
//! bucket, and each bucket has a notification, so workers process the buckets side by side.

mod buckets;
mod end;
mod entry;
mod kind;
mod stored;
mod typed;

pub(crate) use buckets::Buckets;
pub(crate) use end::End;
pub(crate) use entry::{Entry, SEQUENCE_BYTES, entry_row};
pub use kind::QueueKind;
pub use stored::StoredQueue;
pub use typed::TypedQueue;

/// The column family of the notifications of all recipes.
pub(crate) const NOTIFICATION_FAMILY: &[u8] = b"fluoRecipes";
