//! Applications that processes of Apache Fluo 1.2.0 and of this library use together, on a real
//! Accumulo.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod ground;
mod transfers;
