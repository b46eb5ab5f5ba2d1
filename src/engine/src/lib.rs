//! Cross-row transactions and observers over a big sorted table, with the protocol and the bytes of
//! Apache Fluo.
//!
//! # Transactions
//!
//! A table makes only the writes of one row atomic. A [`Client`] runs transactions, for changes
//! that span several rows, for reads of several cells at one moment, and for work that follows from
//! a change. All clients of a table see only
//! whole transactions of the others.
//!
//! ```
//! use fluo_engine::{Column, Instance, InstanceExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_engine::Result<()> {
//! // An application is a table, and the state that its processes share: timestamps and presence.
//! let fluo = Instance::in_memory();
//! let client = fluo.application("bank").open_or_create().await?;
//!
//! // The body reads a snapshot and buffers writes. It may run several times, and cannot commit.
//! let balance = Column::new("account", "balance");
//! client.run(async |tx| tx.set("alice", &balance, "100")).await?;
//! client
//!     .run(async |tx| {
//!         let moved = tx.get("alice", &balance).await?.unwrap_or_default();
//!         tx.delete("alice", &balance)?;
//!         tx.set("bob", &balance, moved)
//!     })
//!     .await?;
//!
//! let now = client.snapshot().await?;
//! assert_eq!(now.get("alice", &balance).await?, None);
//! assert_eq!(now.get("bob", &balance).await?.as_deref(), Some(&b"100"[..]));
//! # Ok(())
//! # }
//! ```
//!
//! # Observers
//!
//! An observer runs when an observed cell has changed: a [`Worker`] starts a transaction for each
//! notification. [`Client::worker`] has an example. The example `15_count_words` of the repository
//! is a worker process with a graceful stop, and includes a test of its observer.
//!
//! [`Loaders`] run many transactions at once, to load data. An [`Instance`] creates, opens and
//! removes applications.
//!
//! # Guide
//!
//! | question | answer |
//! |---|---|
//! | how do I create, open or remove an application? | [`InstanceExt::application`], [`ApplicationHandle`] |
//! | how do I run a transaction and handle conflicts? | [`Client::run`], [`CommitError`] |
//! | how do I commit thousands at once? | [`Loaders`], [`Client::commit_in_background`] |
//! | what does a transaction read, and for how long? | [`Snapshot`], [`SnapshotTooOld`] |
//! | how do I run code when data has changed? | [`Observer`], [`Observers`], [`Worker`] |
//! | which metrics and traces are there? | [`telemetry`] |
//! | which options are there? | [`ClientOptions`], [`RetryPolicy`], [`WorkerOptions`] |
//! | what is guaranteed for tables, and between processes? | the crate [`fluo_table`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! All waits (for a lock, before another attempt, between scans for notifications) use tokio's
//! timers, which a test can pause. Nothing draws random numbers: values that differ between
//! transactions are derived from their timestamps.

mod application;
mod catch_panic;
mod client;
mod context;
mod mutex;
mod observer;
mod options;
mod recipe;
mod transaction;

pub mod column;
pub mod telemetry;

pub use application::{ApplicationHandle, InstanceExt, Status, applications_of, is_set_up};
pub use client::{Attempt, Client, LoaderOptions, Loaders, RetryDecision, RetryPolicy, Runner};
pub use context::ClientOptions;
pub use fluo_table::{
    Bytes, Cell, Column, ColumnSelector, Error, ErrorKind, Instance, Result, RowColumn, Span,
    Timestamp,
};
pub use observer::{
    Observer, ObserverError, Observers, RetryAfter, Worker, WorkerMonitor, WorkerOptions,
    notifications, observer_fn,
};
pub use recipe::{Recipe, Registration};
pub use transaction::{
    CommitError, CommitInfo, Conflict, ConflictCause, LockedReads, OwnedTransaction, Recorder,
    Snapshot, SnapshotTooOld, Transaction,
};
