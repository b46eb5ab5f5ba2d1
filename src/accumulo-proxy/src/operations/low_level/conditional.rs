//! Conditional writers by their handles.

use std::collections::BTreeMap;

use super::{ConditionalWriterHandle, LowLevel};
use crate::convert::{Meaningless, all_to_wire};
use crate::data::{Bytes, ConditionalMutation};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;
use crate::write::{ConditionalOutcome, ConditionalWriterOptions};

impl LowLevel<'_> {
    /// Opens a conditional writer (`createConditionalWriter`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security).
    pub async fn create_conditional_writer(
        &self,
        table: &str,
        options: &ConditionalWriterOptions,
    ) -> Result<ConditionalWriterHandle> {
        let request = |token| {
            wire::CreateConditionalWriterRequest::new(token, table.to_owned(), options.to_wire())
        };
        let handle = self.client.ask(Some(table), request).await?;
        Ok(ConditionalWriterHandle::of_table(handle, table))
    }

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
        type Request = wire::UpdateRowsConditionallyRequest;
        let subject = writer.subject();
        let subject = Some(subject.as_str());
        let by_row: BTreeMap<_, _> = mutations
            .iter()
            .map(|mutation| (mutation.row.to_vec(), updates(mutation)))
            .collect();
        if by_row.len() < mutations.len() {
            let reason = "two of the mutations have the same row";
            return Err(self
                .client
                .error(ErrorKind::Invalid, Request::NAME, subject, reason));
        }
        let statuses = self
            .client
            .call(subject, Request::new(writer.to_wire(), by_row))
            .await?;
        let outcomes: Result<BTreeMap<_, _>, Meaningless> = statuses
            .into_iter()
            .map(|(row, status)| Ok((Bytes::from(row), outcome(status)?)))
            .collect();
        self.client.meaning::<Request, _>(subject, outcomes)
    }

    /// Closes a conditional writer (`closeConditionalWriter`). Succeeds also if the proxy does not
    /// have the writer.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn close_conditional_writer(&self, writer: &ConditionalWriterHandle) -> Result<()> {
        let request = wire::CloseConditionalWriterRequest::new(writer.to_wire());
        self.client.call(Some(&writer.subject()), request).await
    }

    /// Writes a mutation if its conditions hold, with a separate writer (`updateRowConditionally`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security).
    pub async fn update_row_conditionally(
        &self,
        table: &str,
        mutation: &ConditionalMutation,
    ) -> Result<ConditionalOutcome> {
        type Request = wire::UpdateRowConditionallyRequest;
        let request = |token| {
            Request::new(
                token,
                table.to_owned(),
                mutation.row.to_vec(),
                updates(mutation),
            )
        };
        let status = self.client.ask(Some(table), request).await?;
        self.client
            .meaning::<Request, _>(Some(table), outcome(status))
    }
}

fn updates(mutation: &ConditionalMutation) -> wire::ConditionalUpdates {
    wire::ConditionalUpdates::new(
        all_to_wire(&mutation.conditions),
        all_to_wire(&mutation.updates),
    )
}

fn outcome(status: wire::ConditionalStatus) -> Result<ConditionalOutcome, Meaningless> {
    ConditionalOutcome::from_wire(status)
        .ok_or_else(|| format!("{} is not a status that this client supports", status.0))
}
