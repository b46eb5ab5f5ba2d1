//! A search for rows under the keys of earlier designs (B6).

use std::collections::HashMap;
use std::num::NonZeroUsize;

use fluo_table::{Bytes, Error, Scan, Span, Table};
use futures_util::TryStreamExt;

use super::input::Row;

/// Cells per read: few, because the size of their values is unknown.
const BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Returns, for each row, the oldest of its old keys under which one of its columns exists, or
/// `None` if there is no such key.
///
/// The search must precede the conditional write under the new key: rows move only to the newest
/// epoch (E1), so the condition of the write finds a row that moved after the search.
pub(super) async fn find(table: &dyn Table, rows: &[Row]) -> Result<Vec<Option<Bytes>>, Error> {
    let mut found: Vec<Option<Bytes>> = vec![None; rows.len()];
    let most = rows.iter().map(|row| row.old_keys.len()).max().unwrap_or_default();
    // Oldest first, as for readers (E2): a row may be moving from one older place to the next.
    for age in 0..most {
        let (mut spans, mut readers) = (Vec::new(), HashMap::<&Bytes, Vec<_>>::new());
        for (row, found) in rows.iter().zip(&mut found) {
            if let (Some(key), None) = (row.old_keys.get(age), &found) {
                spans.extend(row.columns().map(|column| Span::cell(key.clone(), column)));
                readers.entry(key).or_default().push((row, found));
            }
        }
        if spans.is_empty() {
            continue;
        }
        // Without a first-of-row filter: the first cell of a row may belong to another column.
        let mut batches = table.scan(Scan::over_all(spans).batch_cells(BATCH_CELLS));
        while let Some(cells) = batches.try_next().await? {
            for cell in cells {
                for (row, found) in readers.get_mut(&cell.key.row).into_iter().flatten() {
                    if row.columns().any(|own| *own == cell.key.column) {
                        **found = row.old_keys.get(age).cloned();
                    }
                }
            }
        }
    }
    Ok(found)
}
