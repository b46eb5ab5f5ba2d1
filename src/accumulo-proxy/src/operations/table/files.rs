//! Files of a table.

use std::collections::BTreeSet;

use super::{Compaction, TableOperations};
use crate::convert::{all_from_wire, all_to_wire};
use crate::data::DiskUsage;
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated as wire;

impl TableOperations<'_> {
    /// Writes what is in the memory of the servers to files (`flushTable`), of the tablets with rows after `start`
    /// up to and including `end`; None is the edge of the table. With `wait` it returns when that is done.
    ///
    /// # Errors
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

    /// Compacts tablets (`compactTable`): merges their files into one, and drops what is deleted or too old.
    ///
    /// [Sent once](crate#sending-again): a second compaction would apply the iterators a second time.
    ///
    /// # Errors
    /// [`TableNotFound`](ErrorKind::TableNotFound). [`Invalid`](ErrorKind::Invalid) for a
    /// [plan](Compaction::plan) that this proxy does not know. [`Accumulo`](ErrorKind::Accumulo) where it was
    /// [cancelled](Self::cancel_compaction).
    pub async fn compact(&self, table: &str, compaction: Compaction) -> Result<()> {
        type Request = wire::CompactTableRequest;
        let credentials = &self.client.settings().credentials;
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

    /// Stops the compactions of a table that users asked for (`cancelCompaction`): who waits for one gets an error.
    /// [Sent once](crate#sending-again): a second one would stop what somebody began since.
    ///
    /// # Errors
    /// [`TableNotFound`](ErrorKind::TableNotFound).
    pub async fn cancel_compaction(&self, table: &str) -> Result<()> {
        let request = |token| wire::CancelCompactionRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// What tables take on disk (`getDiskUsage`): for each set of tables that share files (as clones do), the bytes
    /// that they share.
    ///
    /// # Errors
    /// [`TableNotFound`](ErrorKind::TableNotFound) if one of them does not exist.
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
