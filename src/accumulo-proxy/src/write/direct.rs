//! Direct writes: some mutations, written and acknowledged.

use super::chunk::{Cells, Cut};
use super::validate::{Limit, Refusal};
use crate::client::ProxyClient;
use crate::data::Mutation;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;

impl ProxyClient {
    /// Writes mutations. `Ok` means that all of them are written, with the durability of the table
    /// (`table.durability`).
    ///
    /// The mutations are sent in as many calls as necessary, one after the other; mutations of one
    /// row keep their order. Each mutation is atomic, but several mutations of one row are not
    /// atomic together. Updates of one row in one call without timestamps get the same timestamp: a
    /// delete then hides a put to the same column, as in Accumulo's own writers. All mutations are
    /// checked before the first is sent.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for a mutation without updates or with an invalid
    /// visibility, [`TooLarge`](crate::ErrorKind::TooLarge) for a mutation that is longer than a
    /// request may be: in both cases nothing was sent.
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound),
    /// [`MutationsRejected`](crate::ErrorKind::MutationsRejected)..
    /// [`Security`](crate::ErrorKind::Security) if the user lacks write permission.
    ///
    /// If [`may_have_taken_effect`](crate::Error::may_have_taken_effect) is true, some mutations
    /// may be written, by the call that failed or by an earlier one. If a single mutation is
    /// denied, it is false. If several are denied, it is true, because each server checks
    /// permissions by itself.
    pub async fn write(&self, table: &str, mutations: Vec<Mutation>) -> Result<()> {
        let token = self.token().await?;
        let limit = self.write_limit(table, &token);
        for mutation in &mutations {
            let checked = limit.check(mutation);
            checked.map_err(|refusal| self.write_refused(table, refusal))?;
        }
        let mut is_first = true;
        for cells in Cut::new(mutations) {
            self.update_and_flush(table, &token, cells).await.map_err(|error| {
                let is_possible = !is_first || error.may_have_taken_effect();
                error.with_possible_effect(is_possible)
            })?;
            is_first = false;
        }
        Ok(())
    }

    pub(super) fn write_limit(&self, table: &str, token: &[u8]) -> Limit {
        let other_bytes = table.len() + token.len();
        Limit::new(self.options().max_request_bytes, other_bytes)
    }

    pub(super) fn write_refused(&self, table: &str, (kind, reason): Refusal) -> Error {
        self.error(kind, wire::UpdateAndFlushRequest::NAME, Some(table), reason)
    }

    /// Writes cells with one call. If the user may not write them, nothing of a single row is
    /// written.
    pub(crate) async fn update_and_flush(
        &self,
        table: &str,
        token: &[u8],
        cells: Cells,
    ) -> Result<()> {
        let has_rows = cells.len() > 1;
        let request = wire::UpdateAndFlushRequest::new(token.to_vec(), table.to_owned(), cells);
        let written = self.call(Some(table), request).await;
        written.map_err(|error| {
            let is_possible = match error.kind() {
                // Permissions reach the servers one after the other: if one denies the write,
                // another may have written its rows. A single row has one server, which rejects it
                // before it writes; the exception that Accumulo may count besides is the same
                // rejection.
                ErrorKind::Security => has_rows,
                _ => error.may_have_taken_effect(),
            };
            error.with_possible_effect(is_possible)
        })
    }
}
