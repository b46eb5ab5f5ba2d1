//! Writes by handles and by rows.

use std::collections::BTreeMap;

use super::methods::Named;
use super::{ConditionalWriterHandle, LowLevel};
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, ConditionalMutation, ConditionalOutcome, Mutation};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;
use crate::write::cells;

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
