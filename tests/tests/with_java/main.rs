//! Applications that processes of Apache Fluo 1.2.0 and of this library use together, on a real
//! Accumulo.

#![cfg(test)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a child process prints its progress"
)]

mod ground;
mod locks;
mod observing;
mod oracles;
mod queues;
mod snapshots;
mod transfers;
