//! Oracles and their clients on a ZooKeeper in memory, which loses answers, expires sessions and is
//! restored from backups: the bytes of requests, changes of the lead, reservations, the horizon.
//!
//! On a real ZooKeeper, `with_java` proves that the lead changes sides, and that a frozen leader is
//! replaced.

#![cfg(test)]

mod descriptors;
mod elections;
mod formats;
mod frames;
mod ground;
mod horizon;
mod load;
mod metrics;
mod removal;
mod reservations;
mod restored;
mod takeover;
