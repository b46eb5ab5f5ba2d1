//! Operations, in the groups of Accumulo's own client.
//!
//! ```text
//! TableOperations      tables: lifecycle, splits, rows, files, properties..  table/
//! NamespaceOperations  the same for namespaces                               namespace/
//! SecurityOperations   users, authorizations, permissions                    security/
//! InstanceOperations   servers, their activity, their configuration          instance.rs
//! LowLevel             scanners and writers by their handles                 low_level/
//! ProxyClient          following keys, ranges of rows                        keys.rs
//! ```
//!
//! # Rules
//!
//! - A method makes one call. Its documentation gives the name of the call.
//! - An argument that the caller omits is absent on the wire: an empty row is a row, and no row is
//!   the edge of the table.
//! - A method whose documentation says "sent once" is never retried after its request was sent.

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

/// Converts a count to its type on the wire. A count above the maximum becomes the maximum, which
/// means all.
fn count(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
