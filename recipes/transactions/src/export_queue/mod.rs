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
//! No two entries of a key have the same sequence. Transactions that export one key must conflict
//! with each other, for example because they write the row that they export. Then the sequences of
//! the key are in the order of the commits, and a receiver that keeps the last sequence of each
//! key, and ignores entries that are not larger, applies each entry exactly once;
//! [`TableSink`](crate::sink::TableSink) does so. Otherwise an entry that commits late is delivered
//! late, after entries with larger sequences, and a receiver that compares sequences drops it.
//!
//! # Rules
//!
//! - **D4.** Each entry is delivered at least once, unless it cannot be decoded.
//! - **D5.** The entries of a key are first delivered in the order of their sequences, if the
//!   transactions that export the key conflict with each other.
//! - Adding an entry reads nothing and conflicts with nothing.
//! - The exporter acknowledges entries by its [answer](Exported). An entry leaves the queue in the
//!   transaction that follows the export.
//! - An entry that cannot be decoded, or that the exporter rejects, becomes a dead letter. Later
//!   entries of its key are still exported, so a dead letter that is retried is delivered late.
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

mod export;
mod fan_out;
mod layout;
mod observer;
mod pass;
mod queue;

pub use export::{Export, ExportError, Exported, Exporter, Exports, latest_per_key};
pub use fan_out::FanOut;
pub use queue::ExportQueue;
