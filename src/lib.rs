//! Cross-row transactions, observers and evenly spread rows over Apache Accumulo or an embedded
//! table.
//!
//! [`Fluo`] opens tables and applications. A [`RowHasher`] spreads rows over the tablets of a
//! table:
//!
//! ```
//! use fluo::{Column, Fluo, Mutation, RowHasher};
//!
//! const URI: Column = Column::from_static("page", "uri");
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo::Result<()> {
//! let fluo = Fluo::in_memory();
//! let pages = fluo.create_table("pages").await?;
//! let hasher = RowHasher::new("p")?;
//! let optimizations = hasher.table_optimizations(20)?;
//!
//! fluo.optimize("pages", &optimizations).await?;
//! let key = hasher.add("org.wikipedia/accumulo");
//! pages.write([Mutation::new(key).put(&URI, "wikipedia.org")]).await?;
//! fluo.verify("pages", &optimizations).await?.into_result()?;
//! # Ok(())
//! # }
//! ```
//!
//! Transactions span rows, and observers run when data changes:
//!
//! ```
//! use fluo::{Column, Fluo};
//!
//! const TEXT: Column = Column::from_static("page", "text");
//! const LENGTH: Column = Column::from_static("page", "length");
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo::Result<()> {
//! let web = Fluo::in_memory().application("web").observe(&TEXT, "measure", async |tx, page| {
//!     let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
//!     tx.set(page, &LENGTH, length.to_string())
//! });
//! let client = web.open_or_create().await?;
//! let worker = client.worker().start().await?;
//! client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await?;
//! client.wait_until_idle().await?;
//!
//! let length = client.snapshot().await?.get("org.wikipedia", &LENGTH).await?;
//! assert_eq!(length.as_deref(), Some(&b"15"[..]));
//! worker.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Guide
//!
//! | question | answer |
//! |---|---|
//! | how do I open tables in a directory, or of a cluster? | [`Fluo::open`], `Fluo::connect` |
//! | how do I spread rows, and prove that they are? | [`RowHasher`], [`Fluo::optimize`], [`Fluo::verify`] |
//! | how do I create, open or remove an application? | [`Fluo::application`], [`Application`] |
//! | how do I run a transaction and handle conflicts? | [`Client::run`], [`CommitError`] |
//! | how do I run code when data has changed? | [`Application::observe`], [`Client::worker`] |
//! | how do I count, or send data elsewhere? | [`CombineQueue`], [`ExportQueue`], [`TableSink`] |
//! | what can I do about an error? | [`ErrorKind`] |
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `embedded` | tables in one directory | yes |
//! | `keys` | the row hasher, key designs, table optimizations | yes |
//! | `recipes` | queues, codecs, typed columns | yes |
//! | `accumulo` | tables and applications of Accumulo | no |
//! | `process` | a worker or a loader as a process, with signals, health and metrics | no |
//! | `tls` | encrypted connections to Accumulo's proxy and to ZooKeeper | no |
//! | `web-table` | keys of web pages by domain | no |
//!
//! The modules are the crates behind the door, for everything that programs need less often.

mod create_table;
mod fluo;
#[cfg(feature = "keys")]
mod optimize;
#[cfg(doctest)]
mod pages;
mod table_handle;

#[cfg(feature = "accumulo")]
#[doc(no_inline)]
pub use fluo_accumulo as accumulo;
#[cfg(feature = "embedded")]
#[doc(no_inline)]
pub use fluo_embedded as embedded;
#[doc(no_inline)]
pub use fluo_engine as engine;
#[cfg(feature = "keys")]
#[doc(no_inline)]
pub use fluo_keys as keys;
#[cfg(feature = "process")]
#[doc(no_inline)]
pub use fluo_process as process;
#[cfg(feature = "recipes")]
#[doc(no_inline)]
pub use fluo_recipes as recipes;
#[doc(no_inline)]
pub use fluo_table as table;

#[cfg(feature = "accumulo")]
pub use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
pub use fluo_engine::{
    ApplicationHandle as Application, Client, ClientOptions, CommitError, LoaderOptions, Observer,
    ObserverError, Recipe, Registration, Snapshot, Status, Transaction, Worker, WorkerOptions,
    observer_fn,
};
#[cfg(feature = "keys")]
pub use fluo_keys::{BulkLoad, KeyDesign, KeyMigration, RowHasher, SaltedScan, TableOptimizations};
#[cfg(feature = "recipes")]
pub use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
#[cfg(feature = "recipes")]
pub use fluo_recipes::export_queue::{Export, ExportError, ExportQueue, Exported, Exports};
#[cfg(feature = "recipes")]
pub use fluo_recipes::sink::TableSink;
#[cfg(feature = "recipes")]
pub use fluo_recipes::{TypedColumn, TypedRow};
pub use fluo_table::{
    Bytes, Cell, Column, ColumnSelector, Error, ErrorKind, Instance, Mutation, Result, RowColumn,
    Scan, Span, Timestamp, Versions,
};

pub use create_table::CreateTable;
pub use fluo::Fluo;
#[cfg(feature = "keys")]
pub use optimize::Optimize;
pub use table_handle::Table;
