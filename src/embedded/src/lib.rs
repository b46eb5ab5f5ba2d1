//! Tables of Accumulo's model in one directory: durable, with conditional writes that are atomic by
//! row, and without a server.
//!
//! [`open`] returns the [`Instance`](fluo_table::Instance) of a directory: its tables and its
//! applications. [`EmbeddedTables`] opens a directory with other
//! [`EmbeddedOptions`]. Both are a
//! [`TableAdmin`](fluo_table::TableAdmin), and the tables that they open are
//! [`Table`](fluo_table::Table)s. Code that is written against these two ports behaves here as on a
//! cluster: keys have the same order, and versions, deletes, visibilities, split points, properties
//! and the group balancer work the same way. The tablets are on simulated servers, so you can try a
//! plan for a cluster here.
//!
//! ```
//! use fluo_table::{
//!     Authorizations, Column, Condition, Mutation, Scan, Span, TableAdmin, Versions,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let parent = tempfile::tempdir()?;
//! # let directory = parent.path().join("tables");
//! let fluo = fluo_embedded::open(&directory)?;
//! fluo.create_table("pages", Versions::default()).await?;
//! let pages = fluo.open_table("pages", Authorizations::none()).await?;
//!
//! // When the call returns, the row is on disk.
//! let uri = Column::new("page", "uri");
//! let row = || Mutation::new("org.wikipedia/accumulo").put(uri.clone(), "wikipedia.org");
//! pages.write(vec![row()]).await?;
//!
//! // The check and the write are one step, even with concurrent writers.
//! let again = row().when(Condition::absent(uri.clone()));
//! assert!(pages.write_conditional(vec![again]).await?[0].is_rejected());
//!
//! // Split points, tablets and counts work as on a cluster.
//! fluo.add_splits("pages", &["org.m".into()].into()).await?;
//! let tablets = fluo.tablets("pages").await?;
//! let entries: Vec<_> = tablets.as_slice().iter().map(|tablet| tablet.entries).collect();
//! assert_eq!(entries, [0, 1]);
//!
//! // The data is still there after the directory is opened again. A mistyped path is an error here.
//! drop((pages, fluo));
//! let fluo = fluo_embedded::open_existing(&directory)?;
//! let pages = fluo.open_table("pages", Authorizations::none()).await?;
//! assert_eq!(pages.read(Scan::over(Span::all())).await?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! The tables are in the files of the storage engine `fjall`, a log-structured merge tree: a commit
//! is appended to a log, and a crash at any instant leaves the last commit. All writes go through
//! one thread, which takes all waiting calls and makes them durable at once; its throughput grows
//! with the number of callers. Reads run in parallel, on snapshots. `docs/storage-format.md`
//! describes the keys and values byte by byte.
//!
//! # Behavior
//!
//! - **Durability.** A write is durable when the call returns: the log was synced.
//! - **Crash.** No acknowledged write is lost; the next opening reads the log once.
//! - **Full disk.** The write fails; if it fails while it is committed, its outcome is unknown. The
//!   handle accepts no more writes until the directory is opened again. Usually a thread of the
//!   storage engine fails first; then the next write has no effect.
//! - **Damaged file.** Calls return [`Corrupt`](fluo_table::ErrorKind::Corrupt) as soon as they
//!   read it, and never panic; [`EmbeddedTables::check`] reads everything. From then on the
//!   directory accepts no writes, until a check finds no damage.
//! - **Concurrent access.** One handle (and its clones) of one process can open the directory at a
//!   time.
//! - **Size.** The disk is the limit. The space of deleted entries is free once the engine has
//!   merged their files; a [compaction](EmbeddedTables#method.compact) that removes many entries
//!   makes it do so.
//! - **Long scans.** A stream keeps its snapshot: while it exists, no data in the snapshot is
//!   freed. Drop streams that you do not finish.
//! - **Slow writes.** Splitting a tablet with entries blocks the writer, and with it the
//!   transactions that begin: see [`add_splits`](EmbeddedTables#method.add_splits).
//! - **Memory.** [`cache_bytes`](EmbeddedOptions::cache_bytes),
//!   [`max_queued_bytes`](EmbeddedOptions::max_queued_bytes), up to 128 MiB of writes to all tables
//!   that are not in files of their own yet, and a few megabytes for each running scan. A test
//!   writes and reads 512 MiB with less than 320 MiB.
//! - **Long keys.** Row and column together have at most about 64,000 bytes; a mutation with a
//!   longer key is refused.
//!
//! Not supported: several processes, replication, encryption.
//!
//! The storage engine may panic on damaged files. The crate catches the panic and returns an error,
//! so it requires `panic = "unwind"`, which is the default. If the engine panics while it opens a
//! map, it aborts the process.

mod admin;
mod application_state;
mod catalog;
mod catch_panic;
mod check;
mod commits;
mod compaction;
mod condition;
mod coordination;
mod damage;
mod directory;
mod durable_paths;
mod engine;
mod error;
mod instance;
mod key;
mod lock;
mod mark;
mod options;
mod scan;
mod seek;
mod store;
mod table;
mod tables;
mod tablets;
mod writer;

pub use check::CheckReport;
pub use coordination::EmbeddedApplications;
pub use damage::Damage;
pub use instance::{open, open_existing};
pub use options::EmbeddedOptions;
pub use tables::EmbeddedTables;
