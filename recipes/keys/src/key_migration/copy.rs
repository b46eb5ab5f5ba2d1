//! Copies rows to their new places, and deletes those that have arrived.

use std::collections::HashMap;

use fluo_table::{
    Bytes, Cell, Change, Condition, ConditionalMutation, Key, Mutation, Outcome, Scan, Span, Table,
    Update, Versions,
};
use futures_util::TryStreamExt;

use crate::cells::order;
use crate::error::Result;

/// Maximum number of attempts to copy a row that writers change at the same time.
const MAX_ATTEMPTS: usize = 4;

/// Maximum number of bytes of a mutation, give or take an update; every table accepts this size.
const MAX_MUTATION_BYTES: usize = 64 << 10;

/// A row to be moved, or a part of a large one.
pub(super) struct Moving {
    to: Bytes,
    /// Its cells in the old place, in the order of the table; at least one.
    pub(super) cells: Vec<Cell>,
    /// Keys of the cells that the new place shows, limited to the columns that are moved, in the
    /// order of the table.
    shown: Vec<Key>,
    /// `true` until all cells are written.
    is_pending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The new place shows each cell, or newer versions instead.
    Whole,
    /// Some cells could not be written, or the outcome of writing them is unknown.
    Contended,
    /// Every cell was written, but the new place does not show some of them.
    Hidden,
}

/// Moves rows to their new places, and returns one outcome for each, in their order. Deletes the
/// rows that have arrived as a whole in their old places.
pub(super) async fn move_rows(
    table: &dyn Table,
    versions: Versions,
    moving: &mut [Moving],
) -> Result<Vec<Arrival>> {
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 {
            look(table, moving.iter_mut().filter(|row| row.is_pending)).await?;
        }
        write_copies(table, moving).await?;
        if !moving.iter().any(|row| row.is_pending) {
            break;
        }
    }
    look(table, moving.iter_mut()).await?;
    let arrivals: Vec<_> = moving.iter().map(|row| row.arrival(versions)).collect();
    let arrived = moving.iter().zip(&arrivals).filter(|(_, arrival)| **arrival == Arrival::Whole);
    let deletes: Vec<_> = arrived.flat_map(|(row, _)| row.deletes()).collect();
    if !deletes.is_empty() {
        table.write(deletes).await?;
    }
    Ok(arrivals)
}

/// Writes the cells of pending rows that are not shown yet. Rows with cells that were rejected or
/// whose outcome is unknown stay pending.
async fn write_copies(table: &dyn Table, moving: &mut [Moving]) -> Result {
    let (mut conditional, mut of_rows, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for (index, row) in moving.iter_mut().enumerate().filter(|(_, row)| row.is_pending) {
        row.is_pending = false;
        for copy in row.copies() {
            if copy.conditions.is_empty() {
                plain.push(copy.mutation);
            } else {
                conditional.push(copy);
                of_rows.push(index);
            }
        }
    }
    if !plain.is_empty() {
        table.write(plain).await?;
    }
    if conditional.is_empty() {
        return Ok(());
    }
    for (index, outcome) in of_rows.into_iter().zip(table.write_conditional(conditional).await?) {
        match (outcome, moving.get_mut(index)) {
            (Outcome::ConstraintViolation(error), _) => return Err(error.into()),
            (Outcome::Rejected | Outcome::Unknown(_), Some(row)) => row.is_pending = true,
            _ => {}
        }
    }
    Ok(())
}

/// Reads the cells that the new places of some rows show.
async fn look(table: &dyn Table, rows: impl Iterator<Item = &mut Moving>) -> Result {
    let mut places = HashMap::new();
    for row in rows {
        row.shown.clear();
        places.insert(row.to.clone(), row);
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut batches = table.scan(Scan::over_all(places.keys().cloned().map(Span::row)));
    while let Some(cells) = batches.try_next().await? {
        for Cell { key, .. } in cells {
            if let Some(row) = places.get_mut(&key.row)
                && row.cells.binary_search_by(|old| old.key.column.cmp(&key.column)).is_ok()
            {
                row.shown.push(key);
            }
        }
    }
    Ok(())
}

impl Moving {
    pub(super) fn new(to: Bytes, cells: Vec<Cell>) -> Self {
        Self { to, cells, shown: Vec::new(), is_pending: true }
    }

    /// Returns the writes of the cells that the new place does not show. They are conditional, so
    /// nothing is overwritten.
    fn copies(&self) -> Vec<ConditionalMutation> {
        let hidden = self.cells.iter().filter(|cell| !self.shows(cell));
        let size = |cell: &Cell| {
            let column = cell.key.column.size_bytes() + Mutation::ENTRY_BYTES;
            self.to.len() + 2 * column + cell.value.len()
        };
        let copy = |cells: Vec<&Cell>| {
            let put = |cell: &Cell| update(cell, Change::Put(cell.value.clone()));
            let updates = cells.iter().copied().map(put).collect();
            // A table may reject a condition on the lowest timestamp (rule T10).
            let checked = cells.iter().filter(|cell| cell.key.timestamp != i64::MIN);
            let absent = checked
                .map(|cell| Condition::absent(cell.key.column.clone()).at(cell.key.timestamp));
            let mutation = Mutation { row: self.to.clone(), updates };
            ConditionalMutation { conditions: absent.collect(), mutation }
        };
        by_size(hidden, size).into_iter().map(copy).collect()
    }

    fn deletes(&self) -> Vec<Mutation> {
        let columns = self.cells.chunk_by(|one, next| one.key.column == next.key.column);
        // The first cell of a column is its newest.
        let newest = columns.filter_map(|versions| versions.first());
        let size =
            |cell: &Cell| cell.key.row.len() + cell.key.column.size_bytes() + Mutation::ENTRY_BYTES;
        let delete = |cells: Vec<&Cell>| Mutation {
            row: cells.first().map(|cell| cell.key.row.clone()).unwrap_or_default(),
            updates: cells.into_iter().map(|cell| update(cell, Change::Delete)).collect(),
        };
        by_size(newest, size).into_iter().map(delete).collect()
    }

    fn arrival(&self, versions: Versions) -> Arrival {
        if self.cells.iter().all(|cell| self.has_arrived(cell, versions)) {
            Arrival::Whole
        } else if self.is_pending {
            Arrival::Contended
        } else {
            Arrival::Hidden
        }
    }

    /// Checks whether the new place shows a copy, or enough newer versions to hide it.
    fn has_arrived(&self, cell: &Cell, versions: Versions) -> bool {
        let column = self.shown.partition_point(|found| found.column < cell.key.column);
        let before = self.shown.partition_point(|found| order(found, &cell.key).is_lt());
        let newer = u32::try_from(before - column).unwrap_or(u32::MAX);
        self.shows(cell) || !versions.shows(newer)
    }

    fn shows(&self, cell: &Cell) -> bool {
        self.shown.binary_search_by(|found| order(found, &cell.key)).is_ok()
    }
}

fn update(cell: &Cell, change: Change) -> Update {
    Update { column: cell.key.column.clone(), timestamp: Some(cell.key.timestamp), change }
}

/// Divides the cells of a row among mutations of at most [`MAX_MUTATION_BYTES`], give or take one
/// cell.
fn by_size<'a>(
    cells: impl Iterator<Item = &'a Cell>,
    size: impl Fn(&Cell) -> usize,
) -> Vec<Vec<&'a Cell>> {
    let (mut groups, mut bytes): (Vec<Vec<&Cell>>, _) = (Vec::new(), 0);
    for cell in cells {
        bytes += size(cell);
        match groups.last_mut() {
            Some(group) if bytes <= MAX_MUTATION_BYTES => group.push(cell),
            _ => {
                bytes = size(cell);
                groups.push(vec![cell]);
            }
        }
    }
    groups
}
