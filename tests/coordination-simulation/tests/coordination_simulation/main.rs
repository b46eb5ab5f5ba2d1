//! Deterministic simulation of the coordination in ZooKeeper: the real oracles, their clients and
//! workers, on a ZooKeeper and a network that delay, lose and reorder, in simulated time.
//!
//! A seed is a run. `FLUO_SIMULATE_SEEDS` is the number of seeds, and `FLUO_SIMULATE_FROM` the
//! first; `cargo xtask simulate --coordination` sets them.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must say so")]

mod crew;
mod horizon;
mod oracles;
mod replay;
mod run;
mod silence;
mod workers;
