//! The applications in the ZooKeeper of a real Accumulo: the conformance suite of coordination, the
//! nodes, secrets and sessions.

#![cfg(test)]

mod cluster;
mod conformance;
mod nodes;
mod openings;
mod oracles;
mod relay;
mod secret;
mod sessions;
mod workers;
