//! A ZooKeeper in memory, for tests without Java.
//!
//! It speaks the protocol of ZooKeeper 3.5 on a port of this machine: sessions, ephemeral and
//! sequential nodes, versions, transactions of several changes, one-shot watches. The conformance
//! suite of the coordination runs on it as on a real ZooKeeper. It ignores access lists.
//!
//! A test connects each process through a [`Link`] of its own, and disturbs that link: it cuts it,
//! holds back answers and events, loses the answer to one request after its effect, expires
//! sessions, or counts requests.
//!
//! ```
//! use fluo_zookeeper::{Operation, ZooKeeper};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let zookeeper = ZooKeeper::new();
//! let link = zookeeper.link();
//! println!("connect to {}", link.address());
//! assert_eq!(link.count(Operation::Create), 0);
//! # }
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test server may panic on a request that no client sends"
)]

mod connection;
mod link;
mod request;
mod server;
mod sessions;
mod state;
pub mod tree;
mod watches;
mod wire;

pub use link::Link;
pub use request::Operation;
pub use server::ZooKeeper;
