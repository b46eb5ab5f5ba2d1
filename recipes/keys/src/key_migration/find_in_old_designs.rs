//! A search for rows in older places, for writers that write only absent rows.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use fluo_table::{Bytes, Column, Error, Scan, Span, Table};
use futures_util::TryStreamExt;

use super::designs::KeyMigration;
use crate::error::RecipeError;

/// Cells per read: few, because the size of their values is unknown.
const BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// A row to look for.
#[derive(Debug)]
pub(crate) struct Sought<'a> {
    /// Its keys, in the order in which they are read.
    pub(crate) keys: &'a [Bytes],
    /// The columns of which one must exist. An empty list means all columns.
    pub(crate) columns: Vec<&'a Column>,
}

impl KeyMigration {
    /// Returns, for each row, the oldest of its older keys that holds one of the columns, or `None`
    /// if no older key does. An empty list means all columns.
    ///
    /// A writer that must not create a row twice calls this *first*. It then writes the rows with
    /// no older key under [`key`](Self::key), on the condition that the columns are absent there.
    /// Rows that are moved at the same moment are safe: a cell that is no longer in the old place
    /// was copied before (E1), so the condition sees it. Rows that others put into an older place
    /// after this call are not seen. An insert-only [`BulkLoad`](crate::BulkLoad) does both.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs has a key for a row; also as [`Table::scan`].
    pub async fn find_in_old_designs(
        &self,
        table: &dyn Table,
        rows: &[Bytes],
        columns: &[Column],
    ) -> Result<Vec<Option<Bytes>>, RecipeError> {
        let keys: Result<Vec<_>, _> = rows.iter().map(|row| self.old_keys(row)).collect();
        let keys = keys?;
        let sought: Vec<_> =
            keys.iter().map(|keys| Sought { keys, columns: columns.iter().collect() }).collect();
        Ok(find_first_keys(table, &sought).await?)
    }

    /// Returns the keys under which a row can be stored, oldest first, without that of the newest
    /// design.
    pub(crate) fn old_keys(&self, row: &[u8]) -> Result<Vec<Bytes>, RecipeError> {
        let mut keys = self.keys(row)?;
        if keys.last() == self.key(row).ok().as_ref() {
            keys.pop();
        }
        Ok(keys)
    }
}

/// Returns, for each row, the first of its keys that exists, or `None` if no key does.
pub(crate) async fn find_first_keys(
    table: &dyn Table,
    rows: &[Sought<'_>],
) -> Result<Vec<Option<Bytes>>, Error> {
    let mut found: Vec<Option<Bytes>> = vec![None; rows.len()];
    let most = rows.iter().map(|row| row.keys.len()).max().unwrap_or_default();
    // Oldest first, as for readers (E2): a row may be moving from one older place to the next.
    for age in 0..most {
        let mut readers: HashMap<&Bytes, Vec<_>> = HashMap::new();
        for (row, found) in rows.iter().zip(&mut found) {
            if let (Some(key), None) = (row.keys.get(age), &found) {
                readers.entry(key).or_default().push((row, found));
            }
        }
        let spans: Vec<_> =
            readers.values().flatten().flat_map(|(row, _)| row.spans(age)).collect();
        if spans.is_empty() {
            continue;
        }
        // Without a first-of-row filter: the first cell of a row may belong to another column.
        let scan = Scan::over_all(spans).batch_cells(BATCH_CELLS);
        let mut batches = table.scan(scan);
        while let Some(cells) = batches.try_next().await? {
            for cell in cells {
                for (row, found) in readers.get_mut(&cell.key.row).into_iter().flatten() {
                    if row.has(&cell.key.column) {
                        **found = row.keys.get(age).cloned();
                    }
                }
            }
        }
    }
    Ok(found)
}

impl Sought<'_> {
    /// Returns the places of its columns under one of its keys.
    fn spans(&self, age: usize) -> Vec<Span> {
        let Some(key) = self.keys.get(age) else {
            return Vec::new();
        };
        match self.columns.as_slice() {
            [] => vec![Span::row(key.clone())],
            columns => columns.iter().map(|column| Span::cell(key.clone(), column)).collect(),
        }
    }

    fn has(&self, column: &Column) -> bool {
        self.columns.is_empty() || self.columns.contains(&column)
    }
}
