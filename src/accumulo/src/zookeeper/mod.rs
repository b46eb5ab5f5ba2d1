//! A client of ZooKeeper: sessions that are replaced when they end, and requests whose answers may
//! be lost. Only this module uses types of the crate `zookeeper-client`.
//!
//! Requests of one session take effect in the order in which they are sent. A request is sent when
//! its future is first polled.

mod change;
mod children;
#[cfg(not(simulated))]
mod connection;
mod error;
mod lease;
mod lock;
mod options;
#[cfg(not(simulated))]
mod owner;
mod security;
mod session;
mod tree;
#[cfg(not(simulated))]
mod tunnel;
mod watched;

#[cfg(simulated)]
use crate::world::{connection, zookeeper as client};
#[cfg(not(simulated))]
use zookeeper_client as client;

pub(crate) use change::{Change, NodeKind, Outcome, Refusal};
pub(crate) use children::Children;
pub(crate) use lease::Lease;
pub(crate) use lock::Lock;
pub(crate) use options::SessionOptions;
pub use options::ZooKeeperOptions;
pub(crate) use session::{Keeper, KeptLease, Node, NodeStat, OwnNode, Session, too_busy};
pub(crate) use tree::{create_parents, delete_own, delete_tree, list_tree};
pub(crate) use watched::Watched;

/// Maximum number of times to repeat a change that other clients prevent, or whose answer is lost.
pub(crate) const TRIES: u32 = 1_000;

/// Maximum number of nodes that are read at the same time.
pub(crate) const AT_ONCE: usize = 64;
