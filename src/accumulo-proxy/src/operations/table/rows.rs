//! Rows of a table.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::TableOperations;
use crate::convert::bytes_set;
use crate::data::Bytes;
use crate::error::Result;
use crate::wire::generated as wire;

impl TableOperations<'_> {
    /// Deletes the rows after `start`, up to and including `end` (`deleteRows`). None is the edge of the table, so
    /// two of them delete every row.
    ///
    /// Whole tablets are dropped where that does it, and split points may go with them: this is fast, but it is no
    /// write. [Sent once](crate#sending-again): rows that somebody wrote since would be deleted too.
    ///
    /// # Errors
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

    /// The last row between two bounds that has an entry that these authorizations show (`getMaxRow`); without
    /// authorizations, those of the user count. None where there is no row.
    ///
    /// ```no_run
    /// # use accumulo_proxy::{ProxyClient, Result};
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// # async fn run(client: ProxyClient) -> Result<()> {
    /// let last_of_2025 = client.table_operations().max_row("events", None, Unbounded, Excluded(b"2026")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
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

/// A bound as the wire has it: a row, absent at the edge of the table, and whether it belongs to what is asked for.
fn edge(bound: Bound<&[u8]>) -> (Option<Vec<u8>>, bool) {
    match bound {
        Bound::Included(row) => (Some(row.to_vec()), true),
        Bound::Excluded(row) => (Some(row.to_vec()), false),
        Bound::Unbounded => (None, true),
    }
}
