//! A client of ZooKeeper: sessions that are replaced when they end, and requests whose answers may
//! be lost. Beside this module, only the oracle uses types of the crate `zookeeper-client`, for its
//! election and its watches.
//!
//! Requests of one session take effect in the order in which they are sent. A request is sent when
//! its future is first polled.

mod access;
mod address;
mod change;
mod children;
mod connection;
mod error;
mod keeper;
mod lease;
mod lock;
mod session;
mod tree;
mod watched;

pub(crate) use access::{Access, Readers};
pub(crate) use address::Address;
pub(crate) use change::{Change, Outcome, Refusal};
pub(crate) use children::Children;
pub(crate) use error::is_connection_lost;
pub(crate) use keeper::Keeper;
pub(crate) use lease::{Lease, Moment};
pub(crate) use lock::{Lock, Taken};
pub(crate) use session::{Node, NodeStat, Session, SessionOptions};
pub(crate) use tree::{create_parents, delete_tree};
