//! Operations on tables.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::Bound;

use super::iterators::iterator;
use super::methods::Named;
use super::{CloneOptions, Compaction, bytes};
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, DiskUsage, IteratorScope, IteratorSetting, Range, TimeType};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;

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

wire::table_calls!(methods);

impl TableOperations<'_> {
    /// Compacts tablets (`compactTable`): merges their files into one, and removes entries that are
    /// deleted or too old.
    ///
    /// [Sent once](crate#sending-again), because a second compaction would apply the iterators
    /// again.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound). [`Invalid`](ErrorKind::Invalid) for a
    /// [plan](Compaction::plan) that this proxy does not support. [`Accumulo`](ErrorKind::Accumulo)
    /// if the compaction was [cancelled](Self::cancel_compaction).
    pub async fn compact(&self, table: &str, compaction: Compaction) -> Result<()> {
        type Request = wire::CompactTable;
        let credentials = &self.client.options().credentials;
        let plan = credentials.compaction(compaction.plan);
        let (selection, configurer) = plan.map_err(|reason| {
            self.client.error(ErrorKind::Invalid, Request::NAME, Some(table), reason)
        })?;
        let request = |token| {
            Request::new(
                token,
                table.to_owned(),
                compaction.start_row,
                compaction.end_row,
                compaction.iterators,
                compaction.flush,
                compaction.wait,
                selection,
                configurer,
            )
        };
        self.client.ask(Some(table), request).await
    }

    /// Returns the disk space of tables (`getDiskUsage`): the size in bytes for each set of tables
    /// that share files, as clones do.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound) if one of the tables does not exist.
    pub async fn disk_usage(
        &self,
        tables: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Vec<DiskUsage>> {
        let tables: BTreeSet<String> = tables.into_iter().map(Into::into).collect();
        let subject = Vec::from_iter(tables.iter().map(String::as_str)).join(", ");
        let subject = Some(subject.as_str());
        let request = |token| wire::GetDiskUsage::new(token, tables);
        self.client.ask(subject, request).await
    }

    /// Returns an iterator of a table in a scope, or `None` if there is none with this name
    /// (`getIteratorSetting`). A 1.x proxy fails if there is none, so this method also calls
    /// `listIterators`.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn iterator(
        &self,
        table: &str,
        name: &str,
        scope: IteratorScope,
    ) -> Result<Option<IteratorSetting>> {
        type Request = wire::GetIteratorSetting;
        let request = |token| Request::new(token, table.to_owned(), name.to_owned(), scope);
        let listed = self.iterators(table);
        iterator(self.client, table, request, listed, (name, scope)).await
    }
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
