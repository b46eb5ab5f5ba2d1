//! Some mutations, written and acknowledged.

use super::cut::{Cells, Cut};
use super::limit::{Limit, Refusal};
use crate::client::ProxyClient;
use crate::data::Mutation;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated as wire;

impl ProxyClient {
    /// Writes mutations: `Ok` means that all of them are written, as durably as the table says (`table.durability`).
    ///
    /// They travel in as many calls as it takes, one after the other; mutations of one row keep their order. A mutation
    /// is atomic; several of one row are not, together. Updates of one row in one call without timestamps get the same
    /// timestamp: a put beside a delete of its column is then hidden by it, as in Accumulo's own writers. Nothing is
    /// sent before all of them were checked.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a mutation without updates or with a bad visibility,
    /// [`TooLarge`](crate::ErrorKind::TooLarge) for one that is longer than a request may be: in both cases nothing was
    /// sent.
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`MutationsRejected`](crate::ErrorKind::MutationsRejected)..
    /// [`Security`](crate::ErrorKind::Security) where the user may not write.
    /// Where [`may_have_taken_effect`](crate::Error::may_have_taken_effect) is true, some of them may be written, by
    /// the call that failed or by one before it. Of a single mutation that is denied it is false; of several it is true,
    /// as each server looks at permissions by itself.
    pub async fn write(&self, table: &str, mutations: Vec<Mutation>) -> Result<()> {
        let token = self.token().await?;
        let limit = self.write_limit(table, &token);
        for mutation in &mutations {
            let checked = limit.check(mutation);
            checked.map_err(|refusal| self.write_refused(table, refusal))?;
        }
        let mut is_first = true;
        for cells in Cut::new(mutations) {
            self.update_and_flush(table, &token, cells)
                .await
                .map_err(|error| {
                    let is_possible = !is_first || error.may_have_taken_effect();
                    error.with_possible_effect(is_possible)
                })?;
            is_first = false;
        }
        Ok(())
    }

    pub(super) fn write_limit(&self, table: &str, token: &[u8]) -> Limit {
        let other_bytes = table.len() + token.len();
        Limit::new(self.settings().max_request_bytes, other_bytes)
    }

    pub(super) fn write_refused(&self, table: &str, (kind, reason): Refusal) -> Error {
        self.error(kind, wire::UpdateAndFlushRequest::NAME, Some(table), reason)
    }

    async fn update_and_flush(&self, table: &str, token: &[u8], cells: Cells) -> Result<()> {
        let has_rows = cells.len() > 1;
        let request = wire::UpdateAndFlushRequest::new(token.to_vec(), table.to_owned(), cells);
        let written = self.call(Some(table), request).await;
        written.map_err(|error| {
            let is_possible = match error.kind() {
                // Servers learn of a permission one after the other: where one denies it, another may have written its
                // rows. A single row has one server, which refuses it before it writes; the exception that Accumulo
                // counts beside that is the refusal again.
                ErrorKind::Security => has_rows,
                _ => error.may_have_taken_effect(),
            };
            error.with_possible_effect(is_possible)
        })
    }
}
