//! Copies rows to their new places, and checks whether they have arrived.

use std::cmp::Ordering;
use std::collections::HashMap;

use fluo_table::{
    Bytes, Cell, Column, Condition, ConditionalMutation, Mutation, Outcome, Scan, Span, Table,
    Versions,
};
use futures_util::TryStreamExt;

use crate::error::RecipeError;

/// Maximum number of attempts to copy a row that writers change at the same time.
const MAX_ATTEMPTS: usize = 4;

/// Maximum number of bytes of a mutation, give or take an update; every table accepts this size.
pub(super) const MAX_MUTATION_BYTES: usize = 64 << 10;

/// A row to be moved, or a part of a large one.
pub(super) struct Moving {
    /// The key of its new place.
    pub(super) to: Bytes,
    /// Its cells in the old place, in the order of the table; at least one.
    pub(super) cells: Vec<Cell>,
}

/// The outcome of copying a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The new place shows each cell, or newer versions instead.
    Whole,
    /// Some cells could not be written, or the outcome of writing them is unknown.
    Contended,
    /// Every cell was written, but the new place does not show some of them.
    Hidden,
}

/// Columns and timestamps of the cells that a new place shows, limited to the columns that are
/// moved, in the order of the table.
type Shown = Vec<(Column, i64)>;

/// Copies rows, and returns one outcome for each, in their order.
pub(super) async fn copy(
    table: &dyn Table,
    versions: Versions,
    moving: &[Moving],
) -> Result<Vec<Arrival>, RecipeError> {
    let mut shown: Vec<Shown> = vec![Shown::new(); moving.len()];
    let mut pending: Vec<usize> = (0..moving.len()).collect();
    for attempt in 0..MAX_ATTEMPTS {
        if pending.is_empty() {
            break;
        }
        if attempt > 0 {
            look(table, moving, &pending, &mut shown).await?;
        }
        pending = attempt_once(table, moving, &pending, &shown).await?;
    }
    let all: Vec<usize> = (0..moving.len()).collect();
    look(table, moving, &all, &mut shown).await?;
    let arrival = |(index, (row, shown)): (usize, (&Moving, &Shown))| {
        if row.cells.iter().all(|cell| has_arrived(cell, shown, versions)) {
            Arrival::Whole
        } else if pending.binary_search(&index).is_ok() {
            Arrival::Contended
        } else {
            Arrival::Hidden
        }
    };
    Ok(moving.iter().zip(&shown).enumerate().map(arrival).collect())
}

/// Writes the cells that are not shown yet, and returns the rows with cells that were rejected or
/// whose outcome is unknown.
async fn attempt_once(
    table: &dyn Table,
    moving: &[Moving],
    pending: &[usize],
    shown: &[Shown],
) -> Result<Vec<usize>, RecipeError> {
    let (mut conditional, mut of_rows, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for &index in pending {
        let (Some(row), Some(shown)) = (moving.get(index), shown.get(index)) else {
            continue;
        };
        for mutation in copies_of(row, shown) {
            if mutation.conditions.is_empty() {
                plain.push(mutation.mutation);
            } else {
                conditional.push(mutation);
                of_rows.push(index);
            }
        }
    }
    if !plain.is_empty() {
        table.write(plain).await?;
    }
    if conditional.is_empty() {
        return Ok(Vec::new());
    }
    let mut again = Vec::new();
    for (index, outcome) in of_rows.into_iter().zip(table.write_conditional(conditional).await?) {
        match outcome {
            Outcome::Accepted => {}
            Outcome::Rejected | Outcome::Unknown(_) if again.last() == Some(&index) => {}
            Outcome::Rejected | Outcome::Unknown(_) => again.push(index),
            Outcome::ConstraintViolation(error) => return Err(error.into()),
        }
    }
    Ok(again)
}

/// Returns the writes of the cells that the new place of a row does not show. They are conditional,
/// so nothing is overwritten.
fn copies_of(row: &Moving, shown: &Shown) -> Vec<ConditionalMutation> {
    let mut copies: Vec<ConditionalMutation> = Vec::new();
    let mut bytes = 0;
    for cell in row.cells.iter().filter(|cell| !is_shown(cell, shown)) {
        let (column, timestamp) = (&cell.key.column, cell.key.timestamp);
        let size =
            row.to.len() + 2 * (column.size_bytes() + Mutation::ENTRY_BYTES) + cell.value.len();
        if copies.is_empty() || bytes + size > MAX_MUTATION_BYTES {
            copies.push(ConditionalMutation {
                mutation: Mutation::new(row.to.clone()),
                conditions: Vec::new(),
            });
            bytes = 0;
        }
        bytes += size;
        let Some(last) = copies.last_mut() else {
            continue;
        };
        let mutation = std::mem::replace(&mut last.mutation, Mutation::new(Bytes::new()));
        last.mutation = mutation.put_at(column.clone(), timestamp, cell.value.clone());
        // A table may reject a condition on the lowest timestamp (rule T10).
        if timestamp != i64::MIN {
            last.conditions.push(Condition::absent(column.clone()).at(timestamp));
        }
    }
    copies
}

/// Reads the cells that the new places of some rows show.
async fn look(
    table: &dyn Table,
    moving: &[Moving],
    rows: &[usize],
    shown: &mut [Shown],
) -> Result<(), RecipeError> {
    let mut places = HashMap::with_capacity(rows.len());
    for &index in rows {
        if let (Some(row), Some(shown)) = (moving.get(index), shown.get_mut(index)) {
            shown.clear();
            places.insert(row.to.clone(), index);
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut batches = table.scan(Scan::over_all(places.keys().cloned().map(Span::row)));
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            let Some(&index) = places.get(&cell.key.row) else {
                continue;
            };
            let Some(row) = moving.get(index) else {
                continue;
            };
            let found = row.cells.binary_search_by(|old| old.key.column.cmp(&cell.key.column));
            if let (Ok(_), Some(shown)) = (found, shown.get_mut(index)) {
                shown.push((cell.key.column, cell.key.timestamp));
            }
        }
    }
    Ok(())
}

fn is_shown(cell: &Cell, shown: &Shown) -> bool {
    shown.binary_search_by(|found| in_order(found, cell)).is_ok()
}

/// Checks whether the new place shows a copy, or enough newer versions to hide it.
fn has_arrived(cell: &Cell, shown: &Shown, versions: Versions) -> bool {
    let column = shown.partition_point(|(column, _)| *column < cell.key.column);
    let newer = shown.partition_point(|found| in_order(found, cell) == Ordering::Less) - column;
    is_shown(cell, shown) || !versions.shows(u32::try_from(newer).unwrap_or(u32::MAX))
}

/// Compares as the table orders cells within a row.
fn in_order((column, timestamp): &(Column, i64), cell: &Cell) -> Ordering {
    column.cmp(&cell.key.column).then_with(|| cell.key.timestamp.cmp(timestamp))
}
