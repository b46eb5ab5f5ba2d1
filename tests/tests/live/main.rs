//! Everything that needs a real Accumulo, in one program, so that one cluster serves all of it.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

mod bad_input;
mod cli;
mod cluster;
mod conditional;
mod conformance;
mod fresh;
mod ground;
mod instance;
mod low_level;
mod namespaces;
mod protocols;
mod scan;
mod security;
mod table_iterators;
mod tables;
mod write;
