//! Tables of Accumulo's model in one directory: durable, conditional writes atomic by row, and no server to run.
//!
//! [`EmbeddedTables`] is a [`TableAdmin`](fluo_core::TableAdmin), and the tables that it opens are
//! [`Table`](fluo_core::Table)s. Everything that is written against these two ports runs on it as it runs on a
//! cluster: the same order of keys, the same versions, deletes and visibilities, the same split points, properties and
//! group balancer. The tablets stand on pretended servers, so a plan for a cluster can be tried here.
//!
//! ```
//! use fluo_core::{Authorizations, Column, Condition, Mutation, Scan, Span, TableAdmin, TableExt, Versions};
//! use fluo_embedded::{EmbeddedTables, Settings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let parent = tempfile::tempdir()?;
//! # let directory = parent.path().join("tables");
//! // The directory is made because the settings say so; a mistyped one would be an error otherwise.
//! let tables = EmbeddedTables::open(&directory, Settings { create_if_missing: true, ..Settings::default() })?;
//! tables.create_table("pages", Versions::default()).await?;
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//!
//! // When the call returns, the row is on the disk.
//! let uri = Column::new("page", "uri");
//! let row = || Mutation::new("org.wikipedia/accumulo").put(uri.clone(), "wikipedia.org");
//! pages.write(vec![row()]).await?;
//!
//! // One step of check and write, whoever else writes.
//! let again = row().when(Condition::absent(uri.clone()));
//! assert!(pages.write_conditional(vec![again]).await?[0].is_rejected());
//!
//! // Split points, tablets and counts are real.
//! tables.add_splits("pages", &["org.m".into()].into()).await?;
//! let tablets = tables.tablets("pages").await?;
//! assert_eq!(tablets.as_slice().iter().map(|tablet| tablet.entries).collect::<Vec<_>>(), [0, 1]);
//!
//! // Everything is there when the directory is opened again.
//! drop((pages, tables));
//! let tables = EmbeddedTables::open(&directory, Settings::default())?;
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//! assert_eq!(pages.read(Scan::over(Span::all())).await?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! The directory has one file, kept by the storage engine `redb`: copy-on-write B-trees, so that what was committed is
//! never overwritten, and a crash at any instant leaves the last commit. All writes go through one thread, which takes
//! everything that waits and makes it durable at once; its rate grows with the number of callers. Reads run beside it
//! on snapshots. The format is written down byte by byte in `docs/storage-format.md`.
//!
//! # What to expect of it
//! | question | answer |
//! |---|---|
//! | when is a write durable? | when the call returns: the file was synced |
//! | what does a crash cost? | nothing that was acknowledged; the next opening reads the whole file once |
//! | what happens when the disk is full? | the write fails and nothing of it is there; the handle takes no more writes until it is opened again |
//! | what if the file is damaged? | [`Corrupt`](fluo_core::ErrorKind::Corrupt) as soon as it is noticed, never a panic; [`EmbeddedTables::check`] notices all of it. From then on the directory takes no writes, until a check finds it whole |
//! | what if this crate has a bug? | a [`Storage`](fluo_core::ErrorKind::Storage) error that names the line; nothing of the call was written, and the next one works |
//! | who can open the directory? | one handle (and its clones) of one process at a time |
//! | how large may it grow? | as the disk; deleted space is used again but the file does not shrink |
//! | what does a long scan cost? | its snapshot: as long as the stream is held, nothing that is in it is freed, so the file grows by all that is written meanwhile. Drop streams that are not read on |
//! | what holds up writers? | splitting a tablet that has entries, and deleting a table: see [`add_splits`](EmbeddedTables#method.add_splits) |
//! | how much memory does it take? | [`cache_bytes`](Settings::cache_bytes), [`max_queued_bytes`](Settings::max_queued_bytes), a few megabytes for each running scan |
//!
//! What it does not do: several processes, replication, encryption, compression.
//!
//! A panic of the storage engine on a damaged page becomes an error. For that the process's panic hook is wrapped
//! once, so that such a panic prints nothing; it needs `panic = "unwind"`, which is the default. A program that sets a
//! hook of its own does so before it opens a directory.

mod admin;
mod catalog;
mod check;
mod compaction;
mod condition;
mod contain;
mod coordination;
mod damage;
mod directory;
mod error;
mod file;
mod key;
mod lock;
mod made;
mod mark;
mod pages;
mod scan;
mod schema;
mod settings;
mod skip;
mod store;
mod table;
mod tables;
mod tablets;
mod writer;

pub use check::CheckReport;
pub use coordination::EmbeddedApplications;
pub use damage::Damage;
pub use settings::Settings;
pub use tables::EmbeddedTables;
