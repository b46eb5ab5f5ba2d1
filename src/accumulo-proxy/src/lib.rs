//! A client of Apache Accumulo through its Thrift proxy, async and typed.
//!
//! # The proxy
//!
//! Accumulo's own client is a Java library. Programs in other languages talk to the *proxy*, a
//! server that is part of Accumulo 1.x and a separate project for 2.x: they send Thrift messages,
//! and the proxy calls the Java library for them. This crate implements that protocol. It needs
//! only the address of a proxy: no Java, no Thrift compiler and no ZooKeeper.
//!
//! - All calls of the proxy have a method here, except those of its one-way writer, which loses
//!   writes.
//! - The public interface contains no Thrift types. Ambiguities of the wire protocol are either
//!   resolved by this crate or documented on the method.
//! - Connections are pooled, calls are retried where that is safe, a reply always reaches its own
//!   call, a hostile reply cannot exhaust the memory, and every queue is bounded.
//!
//! # Connecting
//!
//! Every program starts with a [`ProxyClient`]. Its [`ProxyOptions`] hold the address of the proxy
//! and the [`Credentials`] of the caller.
//!
//! ```no_run
//! use accumulo_proxy::{Credentials, Mutation, ProxyClient, ScanOptions, ProxyOptions, TimeType};
//! use futures::TryStreamExt;
//!
//! # async fn run() -> accumulo_proxy::Result<()> {
//! let options = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
//! let client = ProxyClient::connect(options).await?;
//!
//! client.table_operations().create("pages", true, TimeType::Millis).await?;
//! let page = Mutation::new("com.example").put("page", "title", "An example");
//! client.write("pages", vec![page]).await?;
//! let mut scanner = client.scanner("pages", ScanOptions::default());
//! while let Some(batch) = scanner.try_next().await? {
//!     for entry in batch {
//!         println!("{:?}: {:?}", entry.key.row, entry.value);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`ProxyClient::connect`] checks the address, the user and the password immediately.
//! [`ProxyClient::lazy`] connects at the first call. The proxy of Accumulo 2.x has no login: use
//! [`Credentials::shared_secret`]. The [`field@ProxyOptions::protocol`] selects Thrift's compact or
//! binary protocol, and the feature `tls` adds connections over TLS.
//!
//! The address may list several proxies of one instance, separated by commas. Calls are spread over
//! them, and go on without one that fails: see [`field@ProxyOptions::address`].
//!
//! # Tables, namespaces, users, servers
//!
//! The calls are grouped as in Accumulo's own client: [`TableOperations`], [`NamespaceOperations`],
//! [`SecurityOperations`] and [`InstanceOperations`].
//!
//! Rows are bytes. If two rows bound a range, the first is *exclusive* and the second *inclusive*,
//! as in Accumulo, and `None` is the edge of the table. A change reaches the servers with a short
//! delay: a property, a permission or an iterator takes effect within about a second.
//!
//! # Writing
//!
//! - [`ProxyClient::write`] writes some mutations and returns when they are written.
//! - [`BatchWriter`] accepts many mutations from many tasks and writes them in large calls, several
//!   at a time. Use it for loading.
//! - [`ConditionalWriter`] writes the mutations whose conditions hold, atomically by row, and
//!   returns the outcome of each mutation.
//!
//! ```no_run
//! use accumulo_proxy::{BatchWriterOptions, ConditionalWriterOptions, ProxyClient, Result};
//! use accumulo_proxy::{Condition, ConditionalOutcome, Mutation};
//!
//! # async fn run(client: ProxyClient) -> Result<()> {
//! let writer = client.batch_writer("pages", BatchWriterOptions::default());
//! for number in 0..100_000 {
//!     writer.add(Mutation::new(format!("page{number}")).put("page", "links", "0")).await?;
//! }
//! writer.close().await?;
//!
//! let writer = client.conditional_writer("pages", ConditionalWriterOptions::default());
//! let one_more = Mutation::new("page7").put("page", "links", "1");
//! match writer.write(one_more.when([Condition::equal("page", "links", "0")])).await? {
//!     ConditionalOutcome::Accepted => {}
//!     ConditionalOutcome::Unknown(_) => println!("read, then decide"),
//!     refused => println!("another writer was faster: {refused:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Scanning
//!
//! A [`Scanner`] returns the entries of one range in the order of their keys, a [`BatchScanner`]
//! those of many ranges in no order. Both are streams of batches. They read one batch ahead and
//! close their cursor on the proxy when they are dropped. A scanner whose connection breaks resumes
//! after the last key.
//!
//! A scan shows the entries that the authorizations in its options permit. Without authorizations
//! in the options it uses *all authorizations of the user*.
//!
//! # Errors
//!
//! An [`Error`] has a [kind](ErrorKind), which documents what the caller can do. Every call can
//! fail with `Unreachable`, `TimedOut` and `Protocol`, and nearly every call with `Security`.
//!
//! [`Error::may_have_taken_effect`] returns whether the call may have been executed although it
//! failed. `false` is certain; if it is `true`, check the state before you repeat the call.
//!
//! # Sending again
//!
//! When a connection breaks, the client retries a call by itself if that does no harm, as often as
//! [`field@ProxyOptions::tries`] allows:
//!
//! - A request that was not sent completely: any call except the login is sent again, because the
//!   proxy acts on complete requests only.
//! - A request that was sent and has no reply: it depends on the call.
//!   - Calls that change nothing (`listSplits`, `tableExists`, `createScanner`..) are sent again.
//!   - Idempotent calls (`addSplits`, `setTableProperty`, `grantTablePermission`, `flushTable`,
//!     `mergeTablets`..) are sent again.
//!   - Any other call (`createTable`, `deleteRows`, `compactTable`, `updateAndFlush`,
//!     `updateRowsConditionally`, `nextK`..) is not sent again. Its error says that it may have
//!     taken effect.
//! - A request that was answered, also with an exception: it is not sent again.
//!
//! The documentation of a method that makes one call names the call, whether it is sent again, and
//! its time limit. Scanners and conditional writers retry more than that: see their pages.
//!
//! # Several tasks, several calls
//!
//! A client is cheap to clone, and all clones share one pool of [`field@ProxyOptions::connections`]
//! (4) to each proxy. Each call has exclusive use of a connection while it runs, and waits for one
//! if all are in use; its time limit includes that wait. The proxy executes as many calls at once
//! as it has threads (`numThreads`, 5 unless set), so calls on additional connections only wait in
//! the proxy.
//!
//! # Cancellation
//!
//! A call is a future. Dropping it cancels the call and closes its connection, so that a late reply
//! cannot reach another call. The proxy does not notice the cancellation and executes a request
//! that it has received: after a dropped call it is unknown whether the call took effect. A dropped
//! scanner is closed on the proxy. A dropped [`BatchWriter`] discards the mutations that were not
//! sent; call [`close`](BatchWriter::close) to write them.
//!
//! # The Java client
//!
//! Methods have the names of the Java client in snake case, without its `get`. These differ:
//!
//! | Java | here |
//! |---|---|
//! | `Connector`, `AccumuloClient` | [`ProxyClient`] |
//! | `ClientConfiguration`, `PasswordToken` | [`ProxyOptions`], [`Credentials`] |
//! | `NewTableConfiguration` | [`create`](TableOperations::create), then properties |
//! | `CompactionConfig` | [`Compaction`] |
//! | `createLocalUser` | [`create_user`](SecurityOperations::create_user) |
//! | `ConditionalWriter.Result` | [`ConditionalOutcome`] |
//! | `Range.exact` | [`row_range`](ProxyClient::row_range) |
//! | the handles of the Thrift interface | [`low_level`](ProxyClient::low_level) ([`LowLevel`]) |
//!
//! The proxy has no calls for the locations of tablets, for delegation tokens, for summaries or for
//! samplers.

#[macro_use]
mod setters;

mod client;
mod convert;
mod credentials;
mod data;
mod error;
mod operations;
mod options;
mod scan;
#[cfg(feature = "tls")]
mod tls;
mod wire;
mod write;

pub use client::ProxyClient;
pub use credentials::Credentials;
pub use data::{
    ActiveCompaction, ActiveScan, BatchScanOptions, Bytes, Change, Column, ColumnUpdate,
    CompactionReason, CompactionType, Condition, ConditionalMutation, ConditionalOutcome,
    ConditionalWriterOptions, DiskUsage, Durability, Entry, IteratorScope, IteratorSetting, Key,
    KeyExtent, Mutation, NamespacePermission, NextBatch, PartialKey, Plugin, Range, ScanColumn,
    ScanOptions, ScanState, ScanType, SystemPermission, TablePermission, TimeType,
};
pub use error::{Error, ErrorKind, Result};
pub use operations::{
    CloneOptions, Compaction, CompactionPlan, ConditionalWriterHandle, InstanceOperations,
    LowLevel, NamespaceOperations, ScannerHandle, SecurityOperations, TableOperations,
};
pub use options::{Protocol, ProxyOptions};
pub use scan::{BatchScanner, Scanner};
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsCertificates, TlsError};
pub use write::{BatchWriter, BatchWriterOptions, ConditionalWriter};

/// Compiles the program of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
