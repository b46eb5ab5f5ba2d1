//! Applications that processes of Apache Fluo 1.2.0 and of this library use together, on a real
//! Accumulo.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test panics where it fails, and its child process prints its progress"
)]

mod ground;
mod locks;
mod observing;
mod oracles;
mod queues;
mod snapshots;
mod transfers;
