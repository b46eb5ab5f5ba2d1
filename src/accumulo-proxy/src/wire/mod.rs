//! The wire protocol. No other module uses Thrift.
//!
//! ```text
//! call      a request and the rules of its call          interface/
//! message   bytes of a call, value of a reply            codec.rs
//! frame     4 bytes of length (big-endian), the message  connection.rs
//! stream    TCP, or TLS over TCP                         connect.rs
//! pool      idle connections to a proxy                  pool.rs
//! proxies   the proxy of a call                          proxies.rs
//! ```

mod codec;
mod connect;
mod connection;
mod health;
#[cfg_attr(test, allow(dead_code, unused_imports, reason = "the tests of the wire use it"))]
pub(crate) mod interface;
mod pool;
mod proxies;

pub(crate) use codec::{Failure, shown};
pub(crate) use connection::Connection;
pub(crate) use interface::{Call, Patience, Reply, Resend};
pub(crate) use proxies::Proxies;
