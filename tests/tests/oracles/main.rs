//! Oracles and their clients: the bytes of their requests, changes of the lead, and the horizon.
//!
//! They run on a ZooKeeper in memory. On a real one, `with_java` proves that the lead changes
//! sides, and that a frozen leader is replaced.

#![cfg(test)]

mod frames;
mod ground;
mod horizon;
mod takeover;
