//! Oracles and their clients: the bytes of their requests, changes of the lead, and the horizon.
//!
//! They run on a ZooKeeper in memory. The tests together with Java run them on a real one.

#![cfg(test)]

mod frames;
mod ground;
mod horizon;
mod takeover;
