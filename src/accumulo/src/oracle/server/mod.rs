//! The server: it stands for election, and serves timestamps while it leads.
//!
//! ```text
//! Oracle ── run: until stopped
//!   session ─ port ─ election node ─ turn ─ predecessor stops ─ first reservation ─ term
//! ```
//!
//! A term ends if the lease lapses, the election node disappears, another oracle reserves
//! timestamps, or the oracle is stopped. Then the listener and all connections are closed, the
//! election node is deleted, and unless it was stopped the oracle stands for election again.

mod candidate;
mod descriptors;
mod epoch;
mod handle;
mod horizon;
mod listener;
mod predecessor;
mod run;
mod term;
mod timeline;

pub use handle::{Oracle, OracleMonitor};
pub(crate) use term::MAX_COUNT;
