//! The timestamp oracle of an application: Fluo's protocol, its server and its client.
//!
//! One oracle of an application leads and hands out timestamps (the rules C1 to C5 of
//! [`Coordination`](fluo_table::coordination::Coordination)); any number of others wait to take
//! over. ZooKeeper elects the leader and stores the end of the reserved timestamps and the horizon,
//! at Fluo's paths. Oracles and clients of Fluo in Java take part.
//!
//! # Rules
//!
//! - **O1, reservation.** A range of timestamps belongs to the oracle whose write of the node with
//!   the version that it had read was confirmed. A range whose write was not confirmed is never
//!   handed out. So no timestamp is handed out twice, even if two oracles believe to lead.
//! - **O2, lease.** A leader answers only while its session cannot have ended. So no other oracle
//!   led when the request was sent, and later calls get later timestamps.
//! - **O3, fence.** A leader whose last reservation was overwritten ends its term.
//! - **O4, predecessor.** A new leader waits until the last known one has stopped, because one in
//!   Java has no lease. It waits for a limited time if the last one does not answer.
//! - **O5, refusal.** A request that cannot be answered closes its connection.
//! - **O6, own nodes.** Every election node of the own session is the own one, whatever happened to
//!   the answer of its creation. The oracle keeps the first and deletes the others.
//! - **O7, floor.** An oracle never hands out a timestamp below one that it has handed out in an
//!   earlier term, even if ZooKeeper was set back. It does not lead if the table was opened with
//!   another copy of the coordination since.
//! - **O8, end.** An oracle ends with its application.
//!
//! It does not move the horizon on request: a leader computes it in intervals, and adopts a higher
//! one that another process stores.

mod application;
mod client;
pub(crate) mod election;
mod options;
mod server;
mod wire;

#[cfg(not(simulated))]
pub(crate) use fluo_table::SystemClock as WallClock;
#[cfg(not(simulated))]
use tokio::net;

#[cfg(simulated)]
pub(crate) use crate::world::WallClock;
#[cfg(simulated)]
use crate::world::net;

pub(crate) use application::ServedApplication;
pub use client::OracleClient;
pub use options::OracleOptions;
pub use server::{Oracle, OracleMonitor};
#[cfg(simulated)]
pub(crate) use wire::{Call, Exchange, Reply};
