//! Effects outside of the table, of committed transactions only.
//!
//! # Why
//!
//! A transaction that writes to another system can fail after it has written. An [`ExportQueue`]
//! makes the export a part of the transaction: the entry is committed with its other writes, and an
//! observer exports it later, many entries at once.
//!
//! # Contract
//!
//! Each entry is delivered at least once. The entries of a key that are in the queue are delivered
//! in the order of their sequences, and no two entries of a key have the same sequence. If the
//! transactions that export a key conflict with each other, because they write the row that they
//! export, for example, then the sequences of the key are in the order of their commits. A receiver
//! that keeps the last sequence of each key, and ignores entries that are not larger, applies each
//! entry exactly once; [`TableSink`](crate::sink::TableSink) does so.
//!
//! # Rules
//!
//! - Adding an entry reads nothing and conflicts with nothing.
//! - The exporter acknowledges entries by its [answer](Exported). An entry leaves the queue in the
//!   transaction that follows the export.
//! - An entry that cannot be decoded, or that the exporter rejects, becomes a dead letter. Later
//!   entries of its key are still exported.
//! - An exporter whose receiver is not available returns [`ExportError::retry_after`], and its
//!   bucket waits.
//!
//! The bytes are those of Apache Fluo Recipes, described in `layout.rs`.
//!
//! # What it does not do
//!
//! It gives no order between keys.
//! [`StoredQueue::rebucket`](crate::stored_queue::StoredQueue::rebucket) changes the number of
//! buckets, and needs an empty queue.

mod adapters;
mod export;
mod layout;
mod observer;
mod pass;
mod queue;

pub use adapters::{FanOut, LatestPerKey, latest_per_key};
pub use export::{Export, ExportError, Exported, Exporter, Exports};
pub use queue::ExportQueue;
