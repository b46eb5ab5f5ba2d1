//! Transient ranges: parts of a table whose cells live for a short time, and their compaction.
//!
//! A queue writes cells that it soon deletes. A delete in a transaction adds entries to the table,
//! and only a compaction drops them. So the range of a queue fills with entries that no transaction
//! can read, and every scan of the queue reads over them. A [`TransientRange`] names such a range
//! in the settings of an application. A [`TransientCompaction`] compacts each of them, once or
//! repeatedly.
//!
//! # Rules
//!
//! - **X1, settings.** The range with the id `ID` is the setting `recipes.transientRange.ID`, as in
//!   Fluo Recipes: the row before the range, `:`, and the last row of the range, both in
//!   hexadecimal digits. An empty row before the range means the start of the table, and an empty
//!   last row means the end of the table.
//! - **X2, garbage only.** A compaction drops entries that no snapshot can read, by
//!   [`Client::collect_garbage`](fluo_engine::Client::collect_garbage). It never changes data, so
//!   it may be interrupted and repeated, and ranges may overlap.
//! - **X3, each range by itself.** If the compaction of a range fails, the other ranges are still
//!   compacted, and the failure is part of the report.
//! - **X4, pauses.** A repeated compaction pauses for the interval after each run of a range, or
//!   for a multiple of the duration of the run if that is longer. So a range that takes long to
//!   compact does not occupy the servers all the time.
//! - **X5, one at a time.** A compaction compacts one range at a time. One process of an
//!   application compacts a range repeatedly.

mod compaction;
mod transient_range;

pub use compaction::{CompactedRange, TransientCompaction};
pub use transient_range::TransientRange;
