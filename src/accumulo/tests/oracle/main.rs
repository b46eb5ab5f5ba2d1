//! Oracles on a ZooKeeper in memory, which loses answers, expires sessions and is restored from
//! backups.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test panics where it fails")]

mod elections;
mod ground;
mod metrics;
mod removal;
mod reservations;
mod restored;
