//! Operations, in the groups of Accumulo's own client.
//!
//! ```text
//! TableOperations        tables: life, splits, rows, files, properties, iterators..  table/
//! NamespaceOperations    the same of namespaces                                      namespace/
//! SecurityOperations     users, authorizations, permissions                          security/
//! InstanceOperations     servers, what they do, their configuration                  instance.rs
//! LowLevel               scanners and writers by their handles                       low_level/
//! ProxyClient            what follows a key, what a row spans                        keys.rs
//! ```
//!
//! # Rules
//! - A method makes one call, of the name that its documentation gives.
//! - What a caller leaves out is absent on the wire: an empty row is a row, and no row is the edge of the table.
//! - A method whose documentation says "sent once" is never sent again after its request went out.

mod instance;
mod keys;
mod low_level;
mod namespace;
mod security;
mod table;

pub use instance::InstanceOperations;
pub use low_level::{
    ConditionalWriterHandle, LowLevel, NextBatch, ScannerHandle, ServerWriter, WriterHandle,
    WriterOptions,
};
pub use namespace::NamespaceOperations;
pub use security::SecurityOperations;
pub use table::{CloneOptions, Compaction, TableOperations};

/// A count as the wire has it. More than it can carry is as good as all.
fn count(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
