//! The rows of a scan.

use fluo_engine::{Cell, Result};
use fluo_table::CellBatches;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt, try_unfold};

/// Returns the cells of each row of a scan, at least one. Holds one batch and one row in memory.
pub(crate) fn rows(batches: CellBatches) -> BoxStream<'static, Result<Vec<Cell>>> {
    let cells = batches.map_ok(|cells| stream::iter(cells.into_iter().map(Ok))).try_flatten();
    try_unfold(Box::pin(cells.peekable()), |mut cells| async move {
        let Some(first) = cells.try_next().await? else {
            return Ok(None);
        };
        let row = first.key.row.clone();
        let mut found = vec![first];
        let is_same = |next: &Result<Cell>| next.as_ref().is_ok_and(|next| next.key.row == row);
        while let Some(next) = cells.as_mut().next_if(is_same).await {
            found.push(next?);
        }
        Ok(Some((found, cells)))
    })
    .boxed()
}
