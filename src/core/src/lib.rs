//! The ports to a big sorted table, the data that goes through them, and transactions on top.
//!
//! A table is a sorted map from [`Key`] (row, column, timestamp) to value, cut into [`Tablets`] at split
//! points, each tablet hosted by one server. Apache Accumulo is such a table; so is the embedded one of the
//! crate `fluo-embedded`; and [`MemoryTables`], here, is the reference that both are compared with. What they
//! have in common is two traits: [`Table`] for data, [`TableAdmin`] for everything around it. Recipes and
//! tools are written against these two and know no implementation.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fluo_core::{
//!     Authorizations, Column, Condition, MemoryTables, Mutation, Scan, Span, TableAdmin, TableExt, Versions,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! let tables: Arc<dyn TableAdmin> = Arc::new(MemoryTables::new());
//! tables.create_table("pages", Versions::default()).await?;
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//!
//! // Writes are atomic by row, and durable when the call returns.
//! let uri = Column::new("page", "uri");
//! pages.write(vec![Mutation::new("org.wikipedia/accumulo").put(uri.clone(), "wikipedia.org")]).await?;
//! assert_eq!(pages.get("org.wikipedia/accumulo", &uri).await?.as_deref(), Some(&b"wikipedia.org"[..]));
//!
//! // A conditional write says what became of it; one of the answers is that nobody knows.
//! let first = Mutation::new("com.example").put(uri.clone(), "example.com").when(Condition::absent(uri.clone()));
//! let outcomes = pages.write_conditional(vec![first.clone(), first]).await?;
//! assert!(outcomes[0].is_accepted() && outcomes[1].is_rejected());
//!
//! // Scans come in key order, in batches.
//! let cells = pages.read(Scan::over(Span::prefix("org."))).await?;
//! assert_eq!(cells.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Transactions
//! Rows are atomic by themselves. What belongs together in several rows, several cells that have to be read as they were
//! at one moment, or work that follows from a change, is for a [`Client`]: it runs transactions with the protocol and the
//! bytes of Apache Fluo, and everybody who writes the table through one sees whole transactions only.
//!
//! ```
//! use fluo_core::admin::{Initialization, initialize};
//! use fluo_core::coordination::{Applications, MemoryApplications};
//! use fluo_core::{Authorizations, Client, ClientSettings, Column, MemoryTables, TableAdmin};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! // An application is a table, and beside it what its processes share: timestamps, and who is alive.
//! let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
//! initialize(&tables, &applications, "bank", Initialization::new("8d2fa41c", "accounts")).await?;
//! let table = tables.open_table("accounts", Authorizations::none()).await?;
//! let client = Client::open(table, applications.open("bank").await?, ClientSettings::default()).await?;
//!
//! // The body reads a snapshot and says what to write. It may run several times, and cannot commit by itself.
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
//! An observer runs when an observed cell has changed: a [`Worker`] starts a transaction for each notification. The example
//! `15_count_words` of the repository is a worker process with a graceful stop, and a test of its observer.
//!
//! ```
//! # use fluo_core::admin::{Initialization, initialize};
//! # use fluo_core::coordination::MemoryApplications;
//! # use fluo_core::{Client, ClientSettings, MemoryTables};
//! use fluo_core::{Bytes, Column, Error, Observers, Transaction, Worker, WorkerSettings, observer_fn};
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
//! # let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
//! # let observed = observers.observed_columns();
//! # let initialization = Initialization { observers: observed, ..Initialization::new("8d2fa41c", "web") };
//! # initialize(&tables, &applications, "web", initialization).await?;
//! # let client = Client::open_application(&tables, &applications, "web", ClientSettings::default()).await?;
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
//! [`Loaders`] bring data in, many transactions at once. [`admin`] makes and removes applications; [`coordination`] is the
//! port to what their processes share.
//!
//! # Where to look
//! | question | answer |
//! |---|---|
//! | how do I run a transaction, and what happens when two meet? | [`Client::run`], [`Runner`], [`CommitError`] |
//! | how do I commit thousands at once? | [`Loaders`], [`Client::commit_in_background`] |
//! | what does a transaction read, and for how long? | [`Snapshot`], [`Stale`] |
//! | how do I run code when data has changed? | [`Observer`], [`Observers`], [`Worker`] |
//! | what can be measured while it runs? | [`telemetry`] |
//! | what can be set, and what is the default? | [`ClientSettings`], [`RetryPolicy`], [`WorkerSettings`] |
//! | what may I rely on between processes? | the contract of [`Coordination`](coordination::Coordination) |
//! | what may I rely on when I read and write? | the contract of [`Table`], rules T1 to T16 |
//! | what may I rely on when I split, merge, set properties? | the contract of [`TableAdmin`], rules A1 to A12 |
//! | what does a scan show of versions, deletes, visibilities? | [`table::View`], rules V1 to V5 |
//! | in which order do keys come? | [`Key`] |
//! | what do transactions write, and what of it may go? | [`layout`] |
//! | where will the balancer put my tablets? | [`balancer`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! Nothing in this crate reads the wall clock unasked or draws random numbers: a [`Clock`] is an argument, and what
//! differs between transactions is drawn from their timestamps. Whoever waits (for a lock, before another attempt, between
//! looks for notifications) waits on tokio's timers, which a test can pause.

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
    Attempt, Client, ClientSettings, Decision, LoaderSettings, Loaders, Loading, PendingCommit,
    RetryPolicy, Runner, admin,
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
    LocalityGroups, MemoryTables, Mutation, Outcome, Prewrite, Scan, Table, TableAdmin,
    TableAdminExt, TableExt, Tablet, Tablets, Update, Versions, WriteTogether, check_table_name,
};
pub use transaction::{
    CommitError, Committed, Conflict, OtherTransaction, OwnedTransaction, ReadLocking, Snapshot,
    Stale, Transaction,
};
