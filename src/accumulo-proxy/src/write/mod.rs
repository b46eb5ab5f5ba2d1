//! Writers: direct, queued or conditional mutations.
//!
//! ```text
//! ProxyClient::write   some mutations, acknowledged                      direct.rs
//! BatchWriter          many, from many tasks, in lanes                   batch_writer.rs
//! ConditionalWriter    on conditions, rows of many tasks in one call     conditional/
//! ```
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
