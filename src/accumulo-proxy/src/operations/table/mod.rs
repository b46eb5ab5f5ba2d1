//! Operations on tables.
//!
//! ```text
//! lifecycle     create, rename, clone, delete, online, offline     lifecycle.rs
//! splits        split points and merges                            splits.rs
//! rows          delete a range of rows, the last row               rows.rs
//! files         flush, compact, disk usage                         maintenance.rs, compaction.rs
//! export        export, import                                     export.rs
//! properties    properties, locality groups                        properties.rs
//! constraints   checks of mutations                                constraints.rs
//! iterators     iterators of a table                               iterators.rs
//! ```

mod compaction;
mod constraints;
mod export;
mod iterators;
mod lifecycle;
mod maintenance;
mod properties;
mod rows;
mod splits;

pub use compaction::Compaction;
pub use lifecycle::CloneOptions;

use crate::client::ProxyClient;

/// Operations on tables: lifecycle, split points, rows, files, properties, constraints and
/// iterators.
///
/// The name of a table in a namespace is `namespace.table`.
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission, with
/// [`Accumulo`](crate::ErrorKind::Accumulo), and with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct TableOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on tables.
    pub fn table_operations(&self) -> TableOperations<'_> {
        TableOperations { client: self }
    }
}
