//! Writers: mutations, at once, through a queue, or on conditions.
//!
//! ```text
//! ProxyClient::write   some mutations, acknowledged                      direct.rs
//! BatchWriter          many, from many tasks, in lanes                   batch/
//! ConditionalWriter    on conditions, rows of many tasks in one call     conditional/
//! ```
//!
//! # Acknowledgement
//! - `Ok` means that all of it is written, as durably as the table (or the option) says.
//! - An error whose [`may_have_taken_effect`](crate::Error::may_have_taken_effect) is false means that none of it is.
//!   Any other error leaves it open, cell by cell: read before deciding.
//! - The call `update` of the proxy is one-way and can lose writes. It is not used.
//!
//! # Bounds
//! A proxy drops the connection at a frame of 16 MiB. So what is written is cut into calls below that, after every
//! mutation was checked; a mutation is never cut.

mod batch;
mod conditional;
mod cut;
mod direct;
mod limit;
mod outcome;
mod size;
mod visibility;
mod waiting;

pub use batch::{BatchWriter, BatchWriterOptions};
pub use conditional::{ConditionalWriter, ConditionalWriterOptions};
pub use outcome::ConditionalOutcome;
