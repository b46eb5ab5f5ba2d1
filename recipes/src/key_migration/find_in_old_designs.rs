//! A search for rows in older places, for writers that write only absent rows.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use fluo_table::{Bytes, Column, Scan, Span, Table};
use futures::TryStreamExt;

use super::designs::KeyMigration;
use super::error::MigrationError;

/// Cells per read: few, because the size of their values is unknown.
const BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

impl KeyMigration {
    /// Returns, for each row, the oldest of its older keys that holds one of the columns, or `None`
    /// if no older key does. An empty list means all columns.
    ///
    /// A writer that must not create a row twice calls this *first*. It then writes the rows with
    /// no older key under [`key`](Self::key), on the condition that the columns are absent there.
    /// Rows that are moved at the same moment are safe: a cell that is no longer in the old place
    /// was copied before (E1), so the condition sees it. Rows that others put into an older place
    /// after this call are not seen.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs has a key for a row; also as [`Table::scan`].
    pub async fn find_in_old_designs(
        &self,
        table: &dyn Table,
        rows: &[Bytes],
        columns: &[Column],
    ) -> Result<Vec<Option<Bytes>>, MigrationError> {
        let mut places: Vec<Vec<Bytes>> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut keys = self.keys(row)?;
            if keys.last() == self.key(row).ok().as_ref() {
                keys.pop();
            }
            places.push(keys);
        }
        let mut found = vec![None; rows.len()];
        let most = places.iter().map(Vec::len).max().unwrap_or_default();
        // Oldest first, as for readers (E2): a row may be moving from one older place to the next.
        for age in 0..most {
            let asked = asked(&places, &found, age);
            let keys = asked.iter().flatten();
            let spans: Vec<Span> = match columns {
                [] => keys.map(|key| Span::row(key.clone())).collect(),
                _ => keys.flat_map(|key| cells_of(key, columns)).collect(),
            };
            let held = held(table, spans).await?;
            for (found, key) in found.iter_mut().zip(asked) {
                *found = found.take().or(key.filter(|key| held.contains(key)));
            }
        }
        Ok(found)
    }
}

/// Returns the next older key of each row that is not found yet.
fn asked(places: &[Vec<Bytes>], found: &[Option<Bytes>], age: usize) -> Vec<Option<Bytes>> {
    let next = |(keys, found): (&Vec<Bytes>, &Option<Bytes>)| match found {
        Some(_) => None,
        None => keys.get(age).cloned(),
    };
    places.iter().zip(found).map(next).collect()
}

fn cells_of(key: &Bytes, columns: &[Column]) -> impl Iterator<Item = Span> {
    columns.iter().map(|column| Span::cell(key.clone(), column))
}

/// Returns the keys that hold a cell in one of these spans.
async fn held(table: &dyn Table, spans: Vec<Span>) -> Result<HashSet<Bytes>, MigrationError> {
    let mut held = HashSet::new();
    if spans.is_empty() {
        return Ok(held);
    }
    // Without a first-of-row filter: the first cell of a row may belong to another column.
    let scan = Scan::over_all(spans).batch_cells(BATCH_CELLS);
    let mut batches = table.scan(scan);
    while let Some(cells) = batches.try_next().await? {
        held.extend(cells.into_iter().map(|cell| cell.key.row));
    }
    Ok(held)
}
