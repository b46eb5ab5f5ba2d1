//! Operations, in the groups of Accumulo's own client.
//!
//! ```text
//! TableOperations      tables: lifecycle, splits, rows, files, properties..  tables.rs
//! NamespaceOperations  the same for namespaces                               namespaces.rs
//! SecurityOperations   users, authorizations, permissions                    users.rs
//! InstanceOperations   servers, their activity, their configuration          instance.rs
//! LowLevel             scanners and writers by their handles                 low_level.rs, handle.rs
//! ProxyClient          following keys, ranges of rows                        here
//! ```
//!
//! # Rules
//!
//! - `methods.rs` generates the methods from the table of calls in `wire/interface/calls`. The few
//!   methods that do more are written by hand.
//! - A method makes one call. Its documentation gives the name of the call.
//! - An argument that the caller omits is absent on the wire: an empty row is a row, and no row is
//!   the edge of the table.
//! - A method whose documentation says "sent once" is never retried after its request was sent.

#[macro_use]
mod methods;

mod clone_options;
mod compaction;
mod handle;
mod instance;
mod iterators;
mod low_level;
mod namespaces;
mod tables;
mod users;

use std::collections::BTreeSet;

use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, Key, PartialKey, Range};
use crate::error::Result;
use crate::wire::interface as wire;

pub use clone_options::CloneOptions;
pub use compaction::Compaction;
pub use handle::{ConditionalWriterHandle, ScannerHandle};
pub use instance::InstanceOperations;
pub use low_level::LowLevel;
pub use namespaces::NamespaceOperations;
pub use tables::TableOperations;
pub use users::SecurityOperations;

wire::client_calls!(methods);

/// Converts byte strings to a set on the wire.
fn bytes(values: impl IntoIterator<Item = impl AsRef<[u8]>>) -> BTreeSet<Bytes> {
    values.into_iter().map(|value| Bytes::copy_from_slice(value.as_ref())).collect()
}
