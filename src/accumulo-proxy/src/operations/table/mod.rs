//! Operations on tables.
//!
//! ```text
//! life          create, rename, clone, delete, online, offline     life.rs
//! splits        split points and merges                            splits.rs
//! rows          delete a span of rows, the last row                rows.rs
//! files         flush, compact, disk usage                         files.rs, compaction.rs
//! transfer      export, import                                     transfer.rs
//! properties    properties, locality groups                        properties.rs
//! constraints   what may be written                                constraints.rs
//! iterators     iterators of a table                               iterators.rs
//! ```

mod compaction;
mod constraints;
mod files;
mod iterators;
mod life;
mod properties;
mod rows;
mod splits;
mod transfer;

pub use compaction::Compaction;
pub use life::CloneOptions;

use crate::client::ProxyClient;

/// Operations on tables: their life, split points, rows, files, properties, constraints and iterators.
///
/// A table of a namespace is named `namespace.table`.
///
/// Besides the errors that a method names, each can fail with [`Security`](crate::ErrorKind::Security) where the
/// user lacks a permission, with [`Accumulo`](crate::ErrorKind::Accumulo), and with those of
/// [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct TableOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Operations on tables.
    pub fn table_operations(&self) -> TableOperations<'_> {
        TableOperations { client: self }
    }
}
