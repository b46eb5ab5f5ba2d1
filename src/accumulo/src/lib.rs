//! Tables of a real Apache Accumulo behind the ports of `fluo-core`.
//!
//! Everything goes through one proxy, by the crate `accumulo-proxy`: no Java on this side, and nothing of ours on the
//! servers. The filters of transactions need Fluo's iterators there: the jars `fluo-accumulo` and `fluo-api` on the
//! class path of the tablet servers.
//!
//! | servers | jars for transactions |
//! |---|---|
//! | Accumulo 1.x | `fluo-accumulo` and `fluo-api` 1.2.0, as published |
//! | Accumulo 2.x | `fluo-accumulo` and `fluo-api` 2.1.0-SNAPSHOT, built by hand from the main branch of `apache/fluo`, and [`IteratorBuild::ForAccumulo2`] |
//!
//! **The published jars must never serve Accumulo 2.x**: every class of theirs loads there, and a column of more than ten
//! versions halts the tablet server. Transactions on 2.x are refused until the client is told of the right jars; tables,
//! split points and properties need no jars.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use fluo_accumulo::{AccumuloTables, Credentials, ProxyOptions};
//! use fluo_core::{Authorizations, Column, Mutation, TableAdmin, TableExt, Versions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_core::Result<()> {
//! let options = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
//! let tables: Arc<dyn TableAdmin> = Arc::new(AccumuloTables::connect(options).await?);
//! tables.create_table("pages", Versions::default()).await?;
//! let pages = tables.open_table("pages", Authorizations::none()).await?;
//! let uri = Column::new("page", "uri");
//! pages.write(vec![Mutation::new("org.wikipedia/accumulo").put(uri.clone(), "wikipedia.org")]).await?;
//! assert!(pages.get("org.wikipedia/accumulo", &uri).await?.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # How the rules of the ports are kept
//! | rule | how |
//! |---|---|
//! | T1, order of several spans | a cursor for each span, one after the other; a batch scanner would be in no order |
//! | T2, filters | iterators on the scan: those that Accumulo ships, and Fluo's for the filters of transactions |
//! | T4, T6 | the mutations of a row travel as one, in their order; a row that does not fit in one call is refused |
//! | T8, bounds | checked before anything is sent: a call below the proxy's frame (16 MiB) a row, keys of 1 MiB |
//! | T9, T10 | Accumulo's conditional writer; a condition on a column that the handle may not see is refused here |
//! | T11 | many callers' mutations travel in one call, two of one row in two; what a call leaves open is `Unknown` |
//! | A3, handles of deleted tables | the id of the name is looked up before each call; tasks share an answer |
//! | A5, empty bounds | Accumulo refuses them; they are answered here |
//! | A7, counts | the entries of the files in `accumulo.metadata` |
//! | A9, effect | a property is read back until the servers show it |
//! | A11, garbage | Fluo's iterators, given to one compaction; after a plain one, because a server compacts many files in steps |
//!
//! # Who may do what
//! The user of a handle needs `READ` and `WRITE` on its table; `ALTER_TABLE` for split points, properties (on Accumulo 2.1
//! to read them too), flushes and compactions; `CREATE_TABLE` and `DROP_TABLE` for tables themselves. `accumulo.metadata` can be read by everybody.

mod admin;
mod convert;
mod effect;
mod error;
mod filter;
mod garbage;
mod generation;
mod identity;
mod iterators;
mod metadata;
mod scan;
mod settle;
mod table;
mod tables;

pub use accumulo_proxy::{
    Credentials, Error as ProxyError, ErrorKind as ProxyErrorKind, Protocol, ProxyClient,
    ProxyOptions,
};
#[cfg(feature = "tls")]
pub use accumulo_proxy::{Tls, TlsError};
pub use iterators::IteratorBuild;
pub use tables::AccumuloTables;
