//! The ports to a big sorted table, the data that goes through them, and transactions on top.
//!
//! A table is a sorted map from [`Key`] (row, column, timestamp) to value, cut into [`Tablets`] at
//! split points. One server hosts each tablet. There are three implementations: Apache Accumulo,
//! the embedded table of the crate `fluo-embedded`, and [`MemoryTables`] in this crate, which is
//! the reference for the other two. All of them implement two traits: [`Table`] for data, and
//! [`TableAdmin`] for everything around it. Recipes and tools use only these two traits.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fluo_core::{
//!     Authorizations, Column, Condition, MemoryTables, Mutation, Scan, Span, TableAdmin, TableExt,
//!     Versions,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! let tables: Arc<dyn TableAdmin> = Arc::new(MemoryTables::new());
//! tables.create_table("pages", Versions::default()).await?;
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//!
//! // A write is atomic for each row, and durable when the call returns.
//! let uri = Column::new("page", "uri");
//! let page = Mutation::new("org.wikipedia/accumulo").put(uri.clone(), "wikipedia.org");
//! pages.write(vec![page]).await?;
//! let value = pages.get("org.wikipedia/accumulo", &uri).await?;
//! assert_eq!(value.as_deref(), Some(&b"wikipedia.org"[..]));
//!
//! // A conditional write returns an outcome for each mutation, which may also be `Unknown`.
//! let is_absent = Condition::absent(uri.clone());
//! let first = Mutation::new("com.example").put(uri.clone(), "example.com").when(is_absent);
//! let outcomes = pages.write_conditional(vec![first.clone(), first]).await?;
//! assert!(outcomes[0].is_accepted() && outcomes[1].is_rejected());
//!
//! // Scans return cells in key order, in batches.
//! let cells = pages.read(Scan::over(Span::prefix("org."))).await?;
//! assert_eq!(cells.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Transactions
//!
//! A table makes only the writes of one row atomic. A [`Client`] runs transactions, for changes
//! that span several rows, for reads of several cells at one moment, and for work that follows from
//! a change. It uses the protocol and the bytes of Apache Fluo. All clients of a table see only
//! whole transactions of the others.
//!
//! ```
//! use fluo_core::{Column, Instance};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
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
//! notification. The example `15_count_words` of the repository is a worker process with a graceful
//! stop, and includes a test of its observer.
//!
//! ```
//! use fluo_core::{Bytes, Column, Error, Instance, Observers, Transaction};
//! use fluo_core::{Worker, WorkerSettings, observer_fn};
//!
//! async fn measure(tx: Transaction, page: Bytes, text: Column) -> Result<(), Error> {
//!     let length = tx.get(page.clone(), &text).await?.map_or(0, |text| text.len());
//!     tx.set(page, &Column::new("page", "length"), length.to_string())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! let text = Column::new("page", "text");
//! let observers = Observers::new().strong(text.clone(), "measure", observer_fn(measure))?;
//! let web = Instance::in_memory().application("web").observers(&observers);
//! let client = web.open_or_create().await?;
//! let worker = Worker::start(&client, observers, WorkerSettings::default()).await?;
//! client.run(async |tx| tx.set("org.wikipedia", &text, "an encyclopedia")).await?;
//! client.wait_until_idle().await?;
//!
//! let now = client.snapshot().await?;
//! let length = now.get("org.wikipedia", &Column::new("page", "length")).await?;
//! assert_eq!(length.as_deref(), Some(&b"15"[..]));
//! worker.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! [`Loaders`] run many transactions at once, to load data. [`Instance`] creates, opens and removes
//! applications. [`coordination`] is the port to the state that the processes of an application
//! share.
//!
//! # Guide
//!
//! | question | answer |
//! |---|---|
//! | how do I create, open or remove an application? | [`Instance::application`], [`ApplicationHandle`] |
//! | how do I run a transaction and handle conflicts? | [`Client::run`], [`CommitError`] |
//! | how do I commit thousands at once? | [`Loaders`], [`Client::commit_in_background`] |
//! | what does a transaction read, and for how long? | [`Snapshot`], [`SnapshotTooOld`] |
//! | how do I run code when data has changed? | [`Observer`], [`Observers`], [`Worker`] |
//! | which metrics and traces are there? | [`telemetry`] |
//! | which settings are there? | [`ClientSettings`], [`RetryPolicy`], [`WorkerSettings`] |
//! | what is guaranteed between processes? | [`Coordination`](coordination::Coordination) |
//! | what is guaranteed for reads and writes? | [`Table`], rules T1 to T16 |
//! | what is guaranteed for splits, merges, properties? | [`TableAdmin`], rules A1 to A12 |
//! | which versions and deletes does a scan show? | [`table::EntryFilter`], rules V1 to V5 |
//! | in which order do keys come? | [`Key`] |
//! | what do transactions write, and which of it is garbage? | [`layout`] |
//! | where will the balancer put my tablets? | [`balancer`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! Nothing in this crate reads the wall clock unless the caller asks for it: a [`Clock`] is an
//! argument. Random is only the id of a new application, and a test can replace its
//! [generator](Instance::with_ids); values that differ between transactions are derived from their
//! timestamps. All waits (for a lock, before another attempt, between scans for
//! notifications) use tokio's timers, which a test can pause.

mod client;
mod clock;
mod data;
mod error;
mod observer;
#[cfg(not(feature = "planted-bugs"))]
#[allow(unreachable_pub, dead_code, reason = "tests use it, with the feature")]
mod planted;
mod transaction;

pub mod balancer;
pub mod coordination;
pub mod layout;
#[cfg(feature = "planted-bugs")]
pub mod planted;
pub mod table;
pub mod telemetry;

pub use client::{
    ApplicationHandle, Attempt, Client, ClientSettings, Instance, LoaderSettings, Loaders,
    PendingCommit, PendingLoad, RetryDecision, RetryPolicy, Runner, admin,
};
pub use clock::{Clock, SystemClock};
pub use data::{
    Authorizations, Bytes, Cell, Column, EscapeError, Escaped, Key, KeyRef, RowColumn, Span,
    Timestamp, Visibility, VisibilityError, prefix_successor, row_successor, unescape,
};
pub use error::{Error, ErrorKind, Result};
pub use observer::{
    Observer, ObserverError, ObserverFn, Observers, Worker, WorkerSettings, observer_fn,
};
pub use table::{
    CellBatches, Change, ColumnSelector, Condition, ConditionalMutation, Expected, Filter, Garbage,
    LocalityGroups, MemoryTables, MultiRowWrite, Mutation, Outcome, Prewrite, Scan, Table,
    TableAdmin, TableAdminExt, TableExt, Tablet, Tablets, Update, Versions, check_table_name,
};
pub use transaction::{
    CommitError, CommitInfo, Conflict, ConflictCause, LockedReads, OwnedTransaction, Snapshot,
    SnapshotTooOld, Transaction,
};
