//! The coordination of `fluo-accumulo`, compiled for a ZooKeeper and a network in simulated time.
//!
//! The modules are the files of that crate. With `cfg(simulated)` two of them use [`world`] in
//! place of the client of ZooKeeper and of `tokio::net`; everything else is the code that users
//! run. Their `tokio` is this crate, so that the tasks of a process can be suspended, and `select!`
//! draws nothing that differs between two runs of a seed.

// The files have tests and examples, which run in their own crate.
#![cfg(not(any(test, doctest)))]
#![allow(
    dead_code,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_imports,
    reason = "a part of another crate"
)]

extern crate self as tokio;
extern crate tokio as real_tokio;

#[path = "../../../src/accumulo/src/backoff.rs"]
mod backoff;
#[path = "../../../src/accumulo/src/coordination/mod.rs"]
mod coordination;
#[path = "../../../src/accumulo/src/gathered.rs"]
mod gathered;
#[path = "../../../src/accumulo/src/oracle/mod.rs"]
mod oracle;
#[path = "../../../src/accumulo/src/paths.rs"]
mod paths;
mod stubborn;
#[path = "../../../src/accumulo/src/telemetry.rs"]
mod telemetry;
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on says so")]
pub mod world;
#[path = "../../../src/accumulo/src/zookeeper/mod.rs"]
mod zookeeper;

/// Polls the branches in their order: the random numbers of `tokio` cannot be seeded.
#[macro_export]
macro_rules! select {
    ($($branches:tt)*) => { real_tokio::select! { biased; $($branches)* } };
}

use real_tokio::{io, join, sync, time};
use world::task::{self, spawn};

pub use oracle::{Oracle, OracleClient, OracleOptions};
pub use stubborn::StubbornClient;
pub use zookeeper::ZooKeeperOptions;
