//! Scanners and writers by their handles, as they are on the wire.

use std::collections::BTreeMap;

use super::methods::Named;
use super::{ConditionalWriterHandle, ScannerHandle};
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{
    BatchScanOptions, Bytes, ConditionalMutation, ConditionalOutcome, ConditionalWriterOptions,
    Entry, Mutation, NextBatch, ScanOptions,
};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;
use crate::write::cells;

/// Scanners and writers by their handles. Each method is one call of the proxy, with its pitfalls.
///
/// This type is for porting code that makes these calls. All other code should use
/// [`scanner`](ProxyClient::scanner), [`batch_scanner`](ProxyClient::batch_scanner),
/// [`write`](ProxyClient::write), [`batch_writer`](ProxyClient::batch_writer) and
/// [`conditional_writer`](ProxyClient::conditional_writer), which close what they open, resume
/// after a break if that is safe, and keep requests below the longest frame.
///
/// The proxy keeps the scanner or writer of a handle until it is closed, or for ten idle minutes,
/// or until the proxy ends. An error of `next_entry` or `next_k` closes the scanner, unless it is
/// about the handle itself.
///
/// Options that only the high-level types need (the number of entries of a batch, the number of
/// concurrent calls) are ignored here.
#[derive(Clone, Debug)]
pub struct LowLevel<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on scanners and writers by their handles.
    pub fn low_level(&self) -> LowLevel<'_> {
        LowLevel { client: self }
    }
}

wire::handle_calls!(methods);

impl LowLevel<'_> {
    /// Writes each mutation whose conditions hold, and returns the outcome of each by row
    /// (`updateRowsConditionally`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for two mutations of one row: a call can contain only one.
    /// [`HandleExpired`](ErrorKind::HandleExpired). If the proxy fails at one row, there are no
    /// outcomes but only the error, and any of the other rows may be written.
    pub async fn update_rows_conditionally(
        &self,
        writer: &ConditionalWriterHandle,
        mutations: &[ConditionalMutation],
    ) -> Result<BTreeMap<Bytes, ConditionalOutcome>> {
        type Request = wire::UpdateRowsConditionally;
        let subject = Some(writer.name());
        let by_row = mutations.iter().map(|mutation| (mutation.row.clone(), mutation.to_wire()));
        let by_row: BTreeMap<_, _> = by_row.collect();
        if by_row.len() < mutations.len() {
            let reason = "two of the mutations have the same row";
            return Err(self.client.error(ErrorKind::Invalid, Request::NAME, subject, reason));
        }
        let request = Request::new(writer.to_wire(), by_row);
        let statuses = self.client.call(subject, request).await?.into_iter();
        Ok(statuses.map(|(row, status)| (row, FromWire::from_wire(status, None))).collect())
    }

    /// Writes mutations directly (`updateAndFlush`). `Ok` means that they are written. All of them
    /// must fit in one request, and several mutations of one row are merged.
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound),
    /// [`MutationsRejected`](ErrorKind::MutationsRejected) if a constraint was violated,
    /// [`TooLarge`](ErrorKind::TooLarge).
    pub async fn update_and_flush(&self, table: &str, mutations: &[Mutation]) -> Result<()> {
        self.client.update_and_flush(table, cells(mutations)).await
    }
}
