//! A client of Apache Accumulo through its Thrift proxy: the whole service, async and typed.
//!
//! # The proxy
//! Accumulo's own client is a Java library. Programs in other languages talk to the *proxy*, a server that is part of
//! Accumulo 1.x and a project of its own for 2.x: they send Thrift messages, and the proxy calls the Java library for
//! them. This crate speaks that protocol. It needs no Java, no Thrift compiler and no ZooKeeper, only the address of a
//! proxy.
//!
//! - All 100 calls of the proxy have a method here. `docs/proxy-calls.md` in the repository has the table.
//! - No type of Thrift is in the interface. What the wire cannot say, or says in a way that leads astray, is mended
//!   or told in the documentation of the method.
//! - Connections are pooled, calls are sent again where that is safe, replies cannot be mixed up, a hostile reply
//!   cannot exhaust the memory, and every queue has a bound.
//!
//! # Connecting
//! Everything begins with a [`ProxyClient`]: where the proxy is and who calls ([`Settings`], [`Credentials`]).
//!
//! ```no_run
//! use accumulo_proxy::{Credentials, Mutation, ProxyClient, ScanOptions, Settings, TimeType};
//! use futures::TryStreamExt;
//!
//! # async fn run() -> accumulo_proxy::Result<()> {
//! let settings = Settings::new("localhost:42424", Credentials::password("root", "secret"));
//! let client = ProxyClient::connect(settings).await?;
//!
//! client.table_operations().create("pages", true, TimeType::Millis).await?;
//! client.write("pages", vec![Mutation::new("com.example").put("page", "title", "An example")]).await?;
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
//! [`ProxyClient::connect`] proves address, user and password at once. [`ProxyClient::lazy`] waits for the first call.
//! The proxy of Accumulo 2.x knows no login: give [`Credentials::shared_secret`]. Whether the proxy speaks Thrift's
//! compact or binary protocol is a [setting](Settings::protocol), and the feature `tls` adds connections over TLS.
//!
//! # Tables, namespaces, users, servers
//! The calls are in the groups of Accumulo's own client: [`TableOperations`], [`NamespaceOperations`],
//! [`SecurityOperations`] and [`InstanceOperations`].
//!
//! ```no_run
//! use accumulo_proxy::{Compaction, IteratorScope, IteratorSetting, ProxyClient, Result};
//!
//! # async fn run(client: ProxyClient) -> Result<()> {
//! let tables = client.table_operations();
//! tables.add_splits("pages", ["com.", "net.", "org."]).await?;
//! let age_off = IteratorSetting::new(30, "age-off", "org.apache.accumulo.core.iterators.user.AgeOffFilter");
//! tables.attach_iterator("pages", &age_off.option("ttl", "86400000"), &IteratorScope::ALL).await?;
//! tables.compact("pages", Compaction::default().rows(Some("com."), Some("net."))).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Rows are bytes. Where two rows bound something, the first is *exclusive* and the second *inclusive*, as in Accumulo,
//! and `None` is the edge of the table. What is set in one call reaches the servers a moment later: a property, a
//! permission or an iterator holds within about a second.
//!
//! # Writing
//! - [`ProxyClient::write`] writes some mutations, and returns when they are written.
//! - [`BatchWriter`] takes many mutations from many tasks, and writes them in large calls, several at a time. Use it
//!   for loading.
//! - [`ConditionalWriter`] writes mutations whose conditions hold, atomically by row, and says of each what became of
//!   it.
//!
//! ```no_run
//! use accumulo_proxy::{BatchWriterOptions, Condition, ConditionalOutcome, ConditionalWriterOptions};
//! use accumulo_proxy::{Mutation, ProxyClient, Result};
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
//!     refused => println!("somebody was faster: {refused:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Scanning
//! A [`Scanner`] gives the entries of one range in the order of their keys, a [`BatchScanner`] those of many ranges in
//! no order. Both are streams of batches, read one batch ahead, and close what they hold on the proxy when they are
//! dropped. A scanner whose connection breaks goes on after the last key.
//!
//! A scan shows what the authorizations of its options show; without any in the options these are *all of the user's*.
//!
//! # Errors
//! An [`Error`] has a [kind](ErrorKind), by what one can do about it. Every call can fail with `Gone`, `TimedOut` and
//! `Protocol`, and nearly every one with `Security`.
//!
//! | kind | what to do |
//! |---|---|
//! | [`Invalid`](ErrorKind::Invalid) | mend the request |
//! | [`TooLarge`](ErrorKind::TooLarge) | make it smaller: a proxy takes 16 MiB |
//! | [`Security`](ErrorKind::Security) | log in as somebody else, or have the permission granted |
//! | [`TableNotFound`](ErrorKind::TableNotFound), [`NamespaceNotFound`](ErrorKind::NamespaceNotFound) | create it, or mend the name |
//! | [`TableExists`](ErrorKind::TableExists), [`NamespaceExists`](ErrorKind::NamespaceExists) | use it, or take another name |
//! | [`NamespaceNotEmpty`](ErrorKind::NamespaceNotEmpty) | delete its tables first |
//! | [`MutationsRejected`](ErrorKind::MutationsRejected) | read the reason: a constraint was violated, or a server could not take them |
//! | [`Accumulo`](ErrorKind::Accumulo) | read the reason: it is Accumulo's own |
//! | [`HandleExpired`](ErrorKind::HandleExpired) | open the scanner or writer again; the high-level ones do |
//! | [`Gone`](ErrorKind::Gone) | the proxy cannot be reached: start it, or mend the address |
//! | [`TimedOut`](ErrorKind::TimedOut) | wait longer ([`Settings`] has the limits), or find out what holds it up |
//! | [`Protocol`](ErrorKind::Protocol) | it is no proxy, speaks another protocol, or failed inside |
//!
//! [`Error::may_have_taken_effect`] tells whether the call may have been carried out although it failed. False is
//! certain; where it is true, look before doing it again.
//!
//! # Sending again
//! When a connection breaks, a call is sent again by itself, as often as [`Settings::retry`] says, where that does no
//! harm:
//!
//! | the request | the call | sent again |
//! |---|---|---|
//! | did not go out whole | any, the login excepted | yes: the proxy acts on whole requests only |
//! | went out, and no reply came | changes nothing (`listSplits`, `tableExists`, `createScanner`..) | yes |
//! | | done twice is as done once (`addSplits`, `setTableProperty`, `grantTablePermission`, `flushTable`, `mergeTablets`..) | yes |
//! | | anything else (`createTable`, `deleteRows`, `compactTable`, `updateAndFlush`, `updateRowsConditionally`, `nextK`..) | no: the error says that it may have taken effect |
//! | was answered, with an exception too | any | no |
//!
//! The documentation of a method that is sent once says so; `docs/proxy-calls.md` has the whole table.
//! Scanners and conditional writers do more than that: their pages say what.
//!
//! # Several tasks, several calls
//! A client is cheap to clone, and all clones share one pool of [`Settings::connections`] (4). Each call has a
//! connection for itself while it runs, and waits for one when all are in use; its limit counts from the beginning of
//! that wait. The proxy serves as many calls at once as it has threads (`numThreads`, 5 unless set), so more
//! connections than that only wait there.
//!
//! # Cancellation
//! A call is a future: dropped, it is given up, and its connection with it, so that a late reply meets nobody. The
//! proxy is not told, and carries out what it has received: after a dropped call nobody knows whether it took effect. A
//! dropped scanner is closed on the proxy. A dropped [`BatchWriter`] gives up what was not sent;
//! [`close`](BatchWriter::close) it.
//!
//! # For those who know the Java client
//! | Java | here |
//! |---|---|
//! | `ZooKeeperInstance`, `Connector`, `AccumuloClient` | [`ProxyClient`] |
//! | `ClientConfiguration`, `PasswordToken` | [`Settings`], [`Credentials`] |
//! | `connector.tableOperations()` | [`table_operations`](ProxyClient::table_operations) |
//! | `create`, `NewTableConfiguration` | [`create`](TableOperations::create), then properties |
//! | `addSplits`, `listSplits`, `merge`, `getMaxRow` | [`add_splits`](TableOperations::add_splits), [`list_splits`](TableOperations::list_splits), [`merge`](TableOperations::merge), [`max_row`](TableOperations::max_row) |
//! | `compact(CompactionConfig)`, `flush`, `deleteRows` | [`compact`](TableOperations::compact) ([`Compaction`]), [`flush`](TableOperations::flush), [`delete_rows`](TableOperations::delete_rows) |
//! | `clone`, `exportTable`, `importTable`, `importDirectory` | [`clone_table`](TableOperations::clone_table), [`export_table`](TableOperations::export_table), [`import_table`](TableOperations::import_table), [`import_directory`](TableOperations::import_directory) |
//! | `attachIterator`, `getIteratorSetting`, `addConstraint` | [`attach_iterator`](TableOperations::attach_iterator), [`iterator`](TableOperations::iterator), [`add_constraint`](TableOperations::add_constraint) |
//! | `connector.namespaceOperations()` | [`namespace_operations`](ProxyClient::namespace_operations) |
//! | `connector.securityOperations()` | [`security_operations`](ProxyClient::security_operations) |
//! | `createLocalUser`, `changeUserAuthorizations`, `grantTablePermission` | [`create_user`](SecurityOperations::create_user), [`change_authorizations`](SecurityOperations::change_authorizations), [`grant_table_permission`](SecurityOperations::grant_table_permission) |
//! | `connector.instanceOperations()` | [`instance_operations`](ProxyClient::instance_operations) |
//! | `getTabletServers`, `getActiveScans`, `testClassLoad` | [`tablet_servers`](InstanceOperations::tablet_servers), [`active_scans`](InstanceOperations::active_scans), [`test_class_load`](InstanceOperations::test_class_load) |
//! | `createScanner`, `Scanner` | [`scanner`](ProxyClient::scanner), [`Scanner`], [`ScanOptions`] |
//! | `createBatchScanner`, `BatchScanner` | [`batch_scanner`](ProxyClient::batch_scanner), [`BatchScanner`], [`BatchScanOptions`] |
//! | `createBatchWriter`, `BatchWriter`, `BatchWriterConfig` | [`batch_writer`](ProxyClient::batch_writer), [`BatchWriter`], [`BatchWriterOptions`] |
//! | `createConditionalWriter`, `ConditionalWriter.Result` | [`conditional_writer`](ProxyClient::conditional_writer), [`ConditionalWriter`], [`ConditionalOutcome`] |
//! | `Key`, `Value`, `Range`, `Mutation`, `Condition`, `IteratorSetting` | [`Key`], [`Bytes`], [`Range`], [`Mutation`], [`Condition`], [`IteratorSetting`] |
//! | `Range.exact`, `Key.followingKey` | [`row_range`](ProxyClient::row_range), [`following_key`](ProxyClient::following_key) |
//! | the handles of the Thrift interface | [`low_level`](ProxyClient::low_level) ([`LowLevel`]) |
//!
//! The proxy has no calls for the tablets' locations, for delegation tokens, for summaries or for samplers.

mod client;
mod convert;
mod data;
mod dialect;
mod error;
mod operations;
mod scan;
mod settings;
#[cfg(feature = "tls")]
mod tls;
mod wire;
mod write;

pub use client::ProxyClient;
pub use data::{
    ActiveCompaction, ActiveScan, Bytes, Change, ColumnUpdate, CompactionReason, CompactionType,
    Condition, ConditionalMutation, DiskUsage, Durability, Entry, IteratorScope, IteratorSetting,
    Key, KeyExtent, Mutation, NamespacePermission, PartialKey, Range, ScanColumn, ScanState,
    ScanType, SystemPermission, TablePermission, TimeType,
};
pub use dialect::{CompactionPlan, Credentials, Plugin};
pub use error::{Error, ErrorKind, Result};
pub use operations::{
    CloneOptions, Compaction, ConditionalWriterHandle, InstanceOperations, LowLevel,
    NamespaceOperations, NextBatch, ScannerHandle, SecurityOperations, ServerWriter,
    TableOperations, WriterHandle, WriterOptions,
};
pub use scan::{BatchScanOptions, BatchScanner, ScanOptions, Scanner};
pub use settings::{Protocol, Retry, Settings};
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsError};
pub use write::{
    BatchWriter, BatchWriterOptions, ConditionalOutcome, ConditionalWriter,
    ConditionalWriterOptions,
};

/// The program of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
