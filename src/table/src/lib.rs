//! The ports to a big sorted table, and the data that goes through them.
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
//! use fluo_table::{
//!     Authorizations, Column, Condition, MemoryTables, Mutation, Scan, Span, TableAdmin,
//!     Versions,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_table::Result<()> {
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
//! The crate `fluo` runs transactions and observers on these ports. An [`Instance`] is a pair of
//! them: the tables, and the [applications](coordination::Applications).
//!
//! # Guide
//!
//! | question | answer |
//! |---|---|
//! | what is guaranteed for reads and writes? | [`Table`], rules T1 to T16 |
//! | what is guaranteed for splits, merges, properties? | [`TableAdmin`], rules A1 to A12 |
//! | what is guaranteed between processes? | [`Coordination`](coordination::Coordination) |
//! | which versions and deletes does a scan show? | [`table::EntryFilter`], rules V1 to V5 |
//! | in which order do keys come? | [`Key`] |
//! | what do transactions write, and which of it is garbage? | [`layout`] |
//! | where will the balancer put my tablets? | [`balancer`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! Nothing in this crate reads the wall clock unless the caller asks for it: a [`Clock`] is an
//! argument. Two texts are random: the epoch of applications in memory, and the id of a new
//! application, whose [generator](Instance::with_ids) a test can replace.

mod clock;
mod data;
mod error;
mod instance;
mod locked;
mod murmur3;
mod option;

pub mod balancer;
pub mod coordination;
pub mod layout;
pub mod table;
#[cfg(feature = "telemetry")]
pub mod telemetry;

pub use clock::{Clock, SystemClock, table_time};
pub use data::{
    Authorizations, Bytes, Cell, Column, Escaped, Excerpt, Grouped, Key, KeyRef, RowColumn, Span,
    Timestamp, can_see_column, counted, prefix_successor, row_successor, unescape,
};
pub use error::{Error, ErrorKind, Result};
pub use instance::Instance;
#[doc(hidden)]
pub use locked::locked;
pub use murmur3::murmur3_32;
pub use option::check_option;
pub use table::{
    CellBatches, Change, ColumnSelector, Condition, ConditionalMutation, Filter, Garbage,
    LocalityGroups, MemoryTables, MultiRowWrite, Mutation, Outcome, Prewrite, Scan, Table,
    TableAdmin, Tablet, Tablets, Update, Versions, check_table_name,
};
