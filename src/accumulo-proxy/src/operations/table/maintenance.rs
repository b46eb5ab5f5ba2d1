//! Files of a table.

use std::collections::BTreeSet;

use super::{Compaction, TableOperations};
use crate::convert::{all_from_wire, all_to_wire};
use crate::data::DiskUsage;
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Writes the entries in the memory of the servers to files (`flushTable`), for the tablets
    /// with rows after `start`, up to and including `end`. `None` is the edge of the table. With
    /// `wait` it returns when the files are written.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn flush(
        &self,
        table: &str,
        start: Option<&[u8]>,
        end: Option<&[u8]>,
        wait: bool,
    ) -> Result<()> {
        let (start, end) = (start.map(<[u8]>::to_vec), end.map(<[u8]>::to_vec));
        let request =
            |token| wire::FlushTableRequest::new(token, table.to_owned(), start, end, wait);
        self.client.ask(Some(table), request).await
    }

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
        type Request = wire::CompactTableRequest;
        let credentials = &self.client.options().credentials;
        let plan = credentials.compaction(compaction.plan);
        let (selection, configurer) = plan.map_err(|reason| {
            self.client
                .error(ErrorKind::Invalid, Request::NAME, Some(table), reason)
        })?;
        let request = |token| {
            Request::new(
                token,
                table.to_owned(),
                compaction.start_row.map(Vec::from),
                compaction.end_row.map(Vec::from),
                all_to_wire(&compaction.iterators),
                compaction.flush,
                compaction.wait,
                selection,
                configurer,
            )
        };
        self.client.ask(Some(table), request).await
    }

    /// Cancels the compactions of a table that users requested (`cancelCompaction`). Callers that
    /// wait for one get an error. [Sent once](crate#sending-again), because a second call would
    /// cancel compactions that started since.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn cancel_compaction(&self, table: &str) -> Result<()> {
        let request = |token| wire::CancelCompactionRequest::new(token, table.to_owned());
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
        type Request = wire::GetDiskUsageRequest;
        let tables: BTreeSet<String> = tables.into_iter().map(Into::into).collect();
        let subject = tables
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let usage = self
            .client
            .ask(Some(&subject), |token| Request::new(token, tables))
            .await?;
        self.client
            .meaning::<Request, _>(Some(&subject), all_from_wire(usage))
    }
}
