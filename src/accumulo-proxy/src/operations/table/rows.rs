//! Rows of a table.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::TableOperations;
use crate::convert::bytes_set;
use crate::data::Bytes;
use crate::error::Result;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Deletes the rows after `start`, up to and including `end` (`deleteRows`). `None` is the edge
    /// of the table, so two of them delete every row.
    ///
    /// Accumulo drops whole tablets if possible, and split points may be removed with them. This is
    /// fast, but it is not a write. [Sent once](crate#sending-again), because a second call would
    /// also delete rows that were written since.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn delete_rows(
        &self,
        table: &str,
        start: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let (start, end) = (start.map(<[u8]>::to_vec), end.map(<[u8]>::to_vec));
        let request = |token| wire::DeleteRowsRequest::new(token, table.to_owned(), start, end);
        self.client.ask(Some(table), request).await
    }

    /// Returns the last row between two bounds with an entry that these authorizations permit, or
    /// `None` if there is no such row (`getMaxRow`). If `authorizations` is `None`, those of the
    /// user apply.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use accumulo_proxy::{ProxyClient, Result};
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// # async fn run(client: ProxyClient) -> Result<()> {
    /// let tables = client.table_operations();
    /// let last_of_2025 = tables.max_row("events", None, Unbounded, Excluded(b"2026")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn max_row(
        &self,
        table: &str,
        authorizations: Option<&BTreeSet<Bytes>>,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
    ) -> Result<Option<Bytes>> {
        let authorizations = authorizations.map(bytes_set);
        let (start, start_inclusive) = edge(start);
        let (end, end_inclusive) = edge(end);
        let request = |token| {
            wire::GetMaxRowRequest::new(
                token,
                table.to_owned(),
                authorizations,
                start,
                start_inclusive,
                end,
                end_inclusive,
            )
        };
        let row = self.client.ask(Some(table), request).await?;
        Ok(row.map(Bytes::from))
    }
}

/// Converts a bound to its form on the wire: the row, absent at the edge of the table, and whether
/// the row is included.
fn edge(bound: Bound<&[u8]>) -> (Option<Vec<u8>>, bool) {
    match bound {
        Bound::Included(row) => (Some(row.to_vec()), true),
        Bound::Excluded(row) => (Some(row.to_vec()), false),
        Bound::Unbounded => (None, true),
    }
}
