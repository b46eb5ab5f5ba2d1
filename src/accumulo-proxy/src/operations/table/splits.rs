//! Split points of a table.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use super::TableOperations;
use crate::convert::{ToWire, all_from_wire};
use crate::data::{Bytes, Range};
use crate::error::Result;
use crate::operations::count;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Adds split points (`addSplits`). Existing split points stay. One call with many split points
    /// is much faster than many calls.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn add_splits(
        &self,
        table: &str,
        splits: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<()> {
        let splits: BTreeSet<Vec<u8>> = bytes(splits);
        let request = |token| wire::AddSplitsRequest::new(token, table.to_owned(), splits);
        self.client.ask(Some(table), request).await
    }

    /// Returns the split points (`listSplits`): all of them, or about `most`, evenly distributed.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn list_splits(&self, table: &str, most: Option<usize>) -> Result<BTreeSet<Bytes>> {
        let most = most.map_or(i32::MAX, count);
        let request = |token| wire::ListSplitsRequest::new(token, table.to_owned(), most);
        let splits = self.client.ask(Some(table), request).await?;
        Ok(splits.into_iter().map(Bytes::from).collect())
    }

    /// Merges the tablets of the rows after `start`, up to and including `end`, into one
    /// (`mergeTablets`). Split points between the two rows are removed, the two rows themselves
    /// stay. `None` is the edge of the table.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn merge(&self, table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let (start, end) = (start.map(<[u8]>::to_vec), end.map(<[u8]>::to_vec));
        let request = |token| wire::MergeTabletsRequest::new(token, table.to_owned(), start, end);
        self.client.ask(Some(table), request).await
    }

    /// Divides a range at the tablets of a table (`splitRangeByTablets`): into one range for each
    /// tablet, or into at most `most` ranges.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn split_range_by_tablets(
        &self,
        table: &str,
        range: &Range,
        most: Option<NonZeroUsize>,
    ) -> Result<BTreeSet<Range>> {
        type Request = wire::SplitRangeByTabletsRequest;
        let most = most.map_or(i32::MAX, |most| count(most.get()));
        let request = |token| Request::new(token, table.to_owned(), range.to_wire(), most);
        let ranges = self.client.ask(Some(table), request).await?;
        let ranges = self
            .client
            .meaning::<Request, Vec<Range>>(Some(table), all_from_wire(ranges))?;
        Ok(ranges.into_iter().collect())
    }
}

fn bytes(values: impl IntoIterator<Item = impl AsRef<[u8]>>) -> BTreeSet<Vec<u8>> {
    values
        .into_iter()
        .map(|value| value.as_ref().to_vec())
        .collect()
}
