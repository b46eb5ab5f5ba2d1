//! Direct writes: some mutations, divided into calls, written and acknowledged.

use std::collections::BTreeMap;

use super::validate::{Limit, Refusal};
use super::wire_size;
use crate::client::ProxyClient;
use crate::convert::all_to_wire;
use crate::data::{Bytes, Mutation};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Call, interface as wire};

/// Target size of a call. A larger call takes longer and is hardly faster.
pub(super) const CALL_BYTES: usize = 1024 * 1024;

/// The updates of one call, by row.
pub(crate) type Cells = BTreeMap<Bytes, Vec<wire::ColumnUpdate>>;

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
        mutations.iter().try_for_each(|mutation| self.check_write(table, mutation))?;
        let mut is_first = true;
        for call in calls(&mutations) {
            self.update_and_flush(table, cells(call)).await.map_err(|error| {
                let is_possible = !is_first || error.may_have_taken_effect();
                error.with_possible_effect(is_possible)
            })?;
            is_first = false;
        }
        Ok(())
    }

    /// Checks a mutation as [`write`](Self::write) does before it sends it.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) and [`TooLarge`](crate::ErrorKind::TooLarge), as of
    /// `write`.
    pub fn check_write(&self, table: &str, mutation: &Mutation) -> Result<()> {
        let checked = self.write_limit(table).check(mutation);
        checked.map(drop).map_err(|refusal| self.write_refused(table, refusal))
    }

    pub(super) fn write_limit(&self, table: &str) -> Limit {
        let options = self.options();
        Limit::new(options.max_request_bytes, table.len() + options.credentials.secret_bytes())
    }

    pub(super) fn write_refused(&self, table: &str, (kind, reason): Refusal) -> Error {
        self.error(kind, wire::UpdateAndFlush::NAME, Some(table), reason)
    }

    /// Writes cells with one call. If the user may not write them, nothing of a single row is
    /// written.
    pub(crate) async fn update_and_flush(&self, table: &str, cells: Cells) -> Result<()> {
        let has_rows = cells.len() > 1;
        let token = self.token().await?;
        let request = wire::UpdateAndFlush::new(token, table.to_owned(), cells);
        self.call(Some(table), request).await.map_err(|error| {
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

/// Divides mutations into calls of at most [`CALL_BYTES`], or of a single mutation.
fn calls(mutations: &[Mutation]) -> impl Iterator<Item = &[Mutation]> {
    let mut left = CALL_BYTES;
    let bytes = |mutation: &Mutation| wire_size::updates(&mutation.row, &mutation.updates);
    mutations.chunk_by(move |before, next| {
        left = left.saturating_sub(bytes(before));
        let fits = bytes(next) <= left;
        if !fits {
            left = CALL_BYTES;
        }
        fits
    })
}

/// Returns the updates by row. Several mutations of a row are merged, in their order.
pub(crate) fn cells(mutations: &[Mutation]) -> Cells {
    let mut cells = Cells::new();
    for mutation in mutations {
        cells.entry(mutation.row.clone()).or_default().extend(all_to_wire(&mutation.updates));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(row: &'static str, value_bytes: usize) -> Mutation {
        Mutation::new(row).put("f", "q", vec![0; value_bytes])
    }

    #[test]
    fn merges_the_mutations_of_a_row_in_their_order() {
        let cells = cells(&[mutation("b", 1), mutation("a", 2), mutation("b", 3)]);
        let values = cells.into_iter().map(|(row, updates)| {
            let values = updates.into_iter().map(|update| update.value.unwrap().len());
            (row, values.collect())
        });
        let expected = [("a".into(), vec![2]), ("b".into(), vec![1, 3])];
        assert_eq!(values.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn limits_the_size_of_a_call_and_sends_a_long_mutation_alone() {
        let half = CALL_BYTES / 2;
        let mutations = [
            mutation("a", 10),
            mutation("b", 3 * CALL_BYTES),
            mutation("c", half),
            mutation("d", half),
            mutation("e", 10),
        ];
        let cut: Vec<_> = calls(&mutations).map(<[_]>::len).collect();
        assert_eq!(cut, [1, 1, 1, 2]);
    }
}
