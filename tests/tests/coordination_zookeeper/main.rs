//! The applications in the ZooKeeper of a real Accumulo: the conformance suite of coordination, the
//! nodes, secrets and sessions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod cluster;
mod conformance;
mod nodes;
mod oracles;
mod relay;
mod secret;
mod sessions;
mod transactions;
mod workers;
