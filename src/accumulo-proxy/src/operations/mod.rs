//! Operations, in the groups of Accumulo's own client.
//!
//! - `methods.rs` generates the methods from the table of calls in `wire/interface/calls`. The few
//!   methods that do more are written by hand, in `by_hand.rs` and `compaction.rs`.
//! - An argument that the caller omits is absent on the wire: an empty row is a row, and no row is
//!   the edge of the table.

#[macro_use]
mod methods;

mod by_hand;
mod compaction;
mod handle;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::Bound;

use self::methods::Named;
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{
    ActiveCompaction, ActiveScan, BatchScanOptions, Bytes, ConditionalMutation, ConditionalOutcome,
    ConditionalWriterOptions, Entry, IteratorScope, IteratorSetting, Key, NamespacePermission,
    NextBatch, PartialKey, Range, ScanOptions, SystemPermission, TablePermission, TimeType,
};
use crate::error::Result;
use crate::wire::interface as wire;

pub use compaction::{Compaction, CompactionPlan};
pub use handle::{ConditionalWriterHandle, ScannerHandle};

wire::client_calls!(methods);

operations! {
    /// Operations on tables: lifecycle, split points, rows, files, properties, constraints and
    /// iterators.
    ///
    /// The name of a table in a namespace is `namespace.table`.
    TableOperations, table_operations, "tables", table_calls
}

operations! {
    /// Operations on namespaces and the configuration that they provide for their tables. The name
    /// of the default namespace is empty.
    NamespaceOperations, namespace_operations, "namespaces", namespace_calls
}

operations! {
    /// Operations on users: their passwords, authorizations and permissions. A user that does not
    /// exist is [`Security`](crate::ErrorKind::Security).
    ///
    /// Only the request contains a password, and it is dropped after the call.
    SecurityOperations, security_operations, "users", user_calls
}

operations! {
    /// Operations on the whole instance. A tablet server is identified by `host:port`, as returned
    /// by [`tablet_servers`](Self::tablet_servers).
    InstanceOperations, instance_operations, "the whole instance", instance_calls
}

operations! {
    /// Scanners and writers by their handles. Each method is one call of the proxy, with its
    /// pitfalls.
    ///
    /// This type is for porting code that makes these calls. All other code should use
    /// [`scanner`](ProxyClient::scanner), [`batch_scanner`](ProxyClient::batch_scanner),
    /// [`write`](ProxyClient::write), [`batch_writer`](ProxyClient::batch_writer) and
    /// [`conditional_writer`](ProxyClient::conditional_writer), which close what they open, resume
    /// after a break if that is safe, and keep requests below the longest frame.
    ///
    /// With several proxies, a handle exists only at the proxy that opened it. Make its calls with
    /// one client of [`at_one_proxy`](ProxyClient::at_one_proxy).
    ///
    /// The proxy keeps the scanner or writer of a handle until it is closed, or for ten idle
    /// minutes, or until the proxy ends. An error of `next_entry` or `next_k` closes the scanner,
    /// unless it is about the handle itself.
    ///
    /// Options that only the high-level types need (the number of entries of a batch, the number of
    /// concurrent calls) are ignored here.
    LowLevel, low_level, "scanners and writers by their handles", handle_calls
}

/// Options of [`clone_table`](crate::TableOperations::clone_table).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::CloneOptions;
///
/// let mut options = CloneOptions::default();
/// options.set.insert("table.custom.origin".to_owned(), "pages".to_owned());
/// assert!(options.flush);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneOptions {
    /// `true` to flush the table first, so that the clone contains entries that are only in memory;
    /// `true` unless set.
    pub flush: bool,
    /// Properties that the clone gets in addition to those of the table. They override properties
    /// of the same name.
    pub set: BTreeMap<String, String>,
    /// Properties of the table that the clone does not get.
    pub exclude: BTreeSet<String>,
}

impl Default for CloneOptions {
    fn default() -> Self {
        Self { flush: true, set: BTreeMap::new(), exclude: BTreeSet::new() }
    }
}

fn bytes(values: impl IntoIterator<Item = impl AsRef<[u8]>>) -> BTreeSet<Bytes> {
    values.into_iter().map(|value| Bytes::copy_from_slice(value.as_ref())).collect()
}

/// Returns the row of a bound; `None` at the edge of the table.
fn row(bound: Bound<&[u8]>) -> Option<Bytes> {
    match bound {
        Bound::Included(row) | Bound::Excluded(row) => Some(Bytes::copy_from_slice(row)),
        Bound::Unbounded => None,
    }
}

fn is_included(bound: Bound<&[u8]>) -> bool {
    !matches!(bound, Bound::Excluded(_))
}
