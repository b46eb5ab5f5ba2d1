//! The client: it requests timestamps from the leading oracle, for all tasks of a process.
//!
//! ```text
//! tasks ─> queue ─> sender ─ one request for all waiting tasks ─> connection ─> oracle
//!                     └──── leader, watched in ZooKeeper
//! ```
//!
//! A task waits only for requests that are sent after it has joined the queue. So its timestamps
//! are above those of all calls that returned before (rule C2).

mod handle;
mod leader;
mod sender;
mod waiting;

pub use handle::OracleClient;
