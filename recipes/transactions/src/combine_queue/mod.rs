//! Many transactions update one key without conflicts.
//!
//! # Why
//!
//! Transactions that read and write one cell conflict, so a counter that many of them increment is
//! as slow as one of them at a time. A [`CombineQueue`] only appends: each transaction adds an
//! update as a row of its own, and reads nothing. An observer later combines the updates of a key
//! with its current value, many at once, and reports the changes.
//!
//! # Rules
//!
//! - Adding an update never conflicts with another transaction that adds one to the same key.
//! - **Q4.** [`CombineQueue::get`] returns the value with all updates that were committed before
//!   the snapshot, whether the observer has combined them or not.
//! - **Q5.** A reported new value contains all updates of the key that were committed before the
//!   transaction of the observer began, unless the key has more updates than a pass can read
//!   ([`buffer_bytes`](CombineQueue::buffer_bytes)). A reported old value is the last reported new
//!   value of the key.
//! - Values that are equal in their bytes are not reported.
//! - An update that cannot be decoded becomes a dead letter. If the updates of a key cannot be
//!   combined, because their sum does not fit or the stored value is damaged, all of them that this
//!   pass has read become dead letters. Other keys are not affected.
//!
//! The bytes are those of Apache Fluo Recipes, described in `layout.rs`. The settings are those
//! that its `CombineQueue.configure` stores. It fixes three bugs of that library: keys with equal
//! hashes stay apart, a key with more updates than the limit makes progress, and keys that are
//! prefixes of each other keep their own updates.
//!
//! # What it does not do
//!
//! Other tables receive a value only after the observer has run. Keys have no order among each
//! other. [`StoredQueue::rebucket`](crate::stored_queue::StoredQueue::rebucket)
//! changes the number of buckets, and needs an empty queue.

mod bucket;
mod combiner;
mod layout;
mod observer;
mod pass;
mod queue;
mod read;

pub(crate) use layout::{CURRENT, value_row, values_prefix};

pub use combiner::{CombineResult, Combiner, Monoid, Sum};
pub use queue::{Change, CombineQueue};
