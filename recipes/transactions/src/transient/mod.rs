//! Transient ranges: parts of a table whose cells live for a short time, and their compaction.
//!
//! A queue writes cells that it soon deletes. A delete in a transaction adds entries to the table,
//! and only a compaction drops them. So the range of a queue fills with entries that no transaction
//! can read, and every scan of the queue reads over them. A [`TransientRange`] names such a range
//! in the settings of an application. A [`TransientCompaction`] compacts each of them, once or
//! repeatedly.
//!
//! A compaction drops only entries that no snapshot can read, by
//! [`Client::collect_garbage`](fluo_engine::Client::collect_garbage). It never changes data, so it
//! may be interrupted and repeated, and ranges may overlap.

mod compaction;
mod transient_range;

pub use compaction::{CompactedRange, TransientCompaction};
pub use transient_range::TransientRange;
