//! The ports to a big sorted table, and the data that goes through them.
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
//! # Where to look
//! | question | answer |
//! |---|---|
//! | what may I rely on when I read and write? | the contract of [`Table`], rules T1 to T15 |
//! | what may I rely on when I split, merge, set properties? | the contract of [`TableAdmin`], rules A1 to A11 |
//! | what does a scan show of versions, deletes, visibilities? | [`table::View`], rules V1 to V5 |
//! | in which order do keys come? | [`Key`] |
//! | what do transactions write, and what of it may go? | [`layout`] |
//! | where will the balancer put my tablets? | [`balancer`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! Nothing in this crate sleeps, reads the wall clock unasked or draws random numbers: a [`Clock`] is an
//! argument.

mod client;
mod clock;
mod data;
mod error;
mod observer;
mod transaction;

pub mod balancer;
pub mod coordination;
pub mod layout;
pub mod table;

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
    CellBatches, Change, ColumnSelector, Condition, ConditionalMutation, Expected, Filter,
    LocalityGroups, MemoryTables, Mutation, Outcome, Prewrite, Scan, Table, TableAdmin,
    TableAdminExt, TableExt, Tablet, Tablets, Update, Versions, check_table_name,
};
pub use transaction::{
    CommitError, Committed, Conflict, OtherTransaction, OwnedTransaction, ReadLocking, Snapshot,
    Stale, Transaction,
};
