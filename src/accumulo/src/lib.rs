//! Tables and applications of an Apache Accumulo instance behind the ports of `fluo-table`.
//!
//! All calls on tables go through proxies, with the crate `accumulo-proxy`: the client needs no
//! Java, and the servers need no software of this project. Applications are in ZooKeeper, at the
//! paths of Fluo's Java client, and an oracle hands out their timestamps. The filters of
//! transactions need Fluo's iterators: the jars `fluo-accumulo` and `fluo-api` must be on the class
//! path of the tablet servers.
//!
//! | servers | version of the jars |
//! |---|---|
//! | Accumulo 1.x | 1.2.0, as published |
//! | Accumulo 2.x | 2.1.0-SNAPSHOT, built by hand from the main branch of `apache/fluo` |
//!
//! **Never use the published jars on Accumulo 2.x**: all their classes load there, but a column
//! with more than ten versions halts the tablet server. On 2.x transactions are refused until the
//! client states with [`IteratorBuild::ForAccumulo2`] that the servers have the right jars. Tables,
//! split points and properties need no jars.
//!
//! # Rules of the ports
//!
//! - **T1, order of several spans**: one lookup reads small spans that follow each other, and the
//!   client sorts their cells; each large span has a cursor, read in order.
//! - **T2, filters**: iterators on the scan: those that Accumulo ships, and Fluo's for the filters
//!   of transactions.
//! - **T4, T6**: one call sends all mutations of a row, in their order; a row that does not fit in
//!   one call is rejected.
//! - **T8, limits**: checked before a call: a row below the frame of the proxy (16 MiB), keys up to
//!   1 MiB.
//! - **T9, T10**: Accumulo's conditional writer; the client rejects a condition on a column that
//!   the handle may not see.
//! - **T11**: one call sends the mutations of many callers, but not two of one row; an outcome that
//!   the call does not return is `Unknown`.
//! - **A3, handles of deleted tables**: a handle looks up the id of its name when it is opened,
//!   after an error, and at most once a second otherwise; tasks share an answer. If another process
//!   deletes the table and creates another one of its name, calls of the handle may reach the new
//!   table for up to a second. The table of an application is safe from that: it is deleted only
//!   after the application was removed, which a running client prevents (C11).
//! - **A5, empty bounds**: handled by the client, because Accumulo rejects them.
//! - **A7, counts**: the entries of the files in `accumulo.metadata`.
//! - **A9, effect**: the call reads the property until the servers return its new value.
//! - **A11, garbage**: Fluo's iterators on one compaction. It follows a plain one for tablets with
//!   many files, because a server compacts these in steps. Both are started and watched.
//!
//! # Permissions
//!
//! The user of a handle needs `READ` and `WRITE` on its table; `ALTER_TABLE` for split points,
//! properties (on Accumulo 2.1 to read them too), flushes and compactions; `CREATE_TABLE` and
//! `DROP_TABLE` to create and delete tables. Every user can read `accumulo.metadata`.

mod admin;
mod backoff;
mod compaction;
mod connection;
mod convert;
mod coordination;
mod error;
mod filter;
mod gathered;
mod iterators;
mod metadata;
mod oracle;
mod paths;
mod properties;
mod scan;
mod table;
mod table_ids;
mod tables;
mod zookeeper;

pub mod telemetry;

#[cfg(feature = "tls")]
pub use accumulo_proxy::{ClientCertificate, Tls, TlsCertificates, TlsError};
pub use accumulo_proxy::{
    Credentials, Error as ProxyError, ErrorKind as ProxyErrorKind, Protocol, ProxyClient,
    ProxyOptions,
};
pub use connection::{AccumuloOptions, connect};
pub use coordination::{StoredNode, back_up_application, restore_application};
pub use oracle::{Oracle, OracleClient, OracleMonitor, OracleOptions};
pub use properties::FluoProperties;
pub use tables::{AccumuloTables, IteratorBuild};
pub use zookeeper::ZooKeeperOptions;
