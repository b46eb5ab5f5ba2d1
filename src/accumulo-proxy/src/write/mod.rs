//! Writers: direct, queued or conditional mutations.
//!
//! ```text
//! ProxyClient::write   some mutations, acknowledged                      direct.rs
//! BatchWriter          many, from many tasks, in lanes                   batch_writer.rs
//! ConditionalWriter    on conditions, rows of many tasks in one call     conditional/
//! ```
//!
//! # Acknowledgement
//!
//! - `Ok` means that all mutations are written, with the durability of the table (or of the
//!   option).
//! - An error whose [`may_have_taken_effect`](crate::Error::may_have_taken_effect) is false means
//!   that no mutation is written. After any other error each cell may be written or not: read
//!   before you decide.
//! - The call `update` of the proxy is one-way and can lose writes. These writers do not use it.
//!
//! # Bounds
//!
//! A proxy drops the connection at a frame of 16 MiB. The mutations are therefore divided into
//! calls below that limit, after every mutation was checked; a mutation is never divided.

mod batch_writer;
mod byte_permits;
mod conditional;
mod direct;
mod validate;
mod visibility;
mod wire_size;

pub use batch_writer::{BatchWriter, BatchWriterOptions};
pub use conditional::ConditionalWriter;
pub(crate) use direct::cells;
