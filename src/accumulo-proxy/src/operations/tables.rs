//! Compactions and the disk usage of tables.

use std::collections::BTreeSet;

use super::{Compaction, TableOperations};
use crate::data::DiskUsage;
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Compacts tablets (`compactTable`): merges their files into one, and removes entries that are
    /// deleted or too old.
    ///
    /// [Sent once](crate#sending-again), because a second compaction would apply the iterators
    /// again.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security),
    /// [`Accumulo`](ErrorKind::Accumulo), and those of [every call](crate#errors).
    /// [`Invalid`](ErrorKind::Invalid) for a [plan](Compaction::plan) that this proxy does not
    /// support. A compaction that was [cancelled](Self::cancel_compaction) fails with `Accumulo`.
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
    /// [`TableNotFound`](ErrorKind::TableNotFound) if one of the tables does not exist,
    /// [`Security`](ErrorKind::Security), [`Accumulo`](ErrorKind::Accumulo), and those of
    /// [every call](crate#errors).
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
}
