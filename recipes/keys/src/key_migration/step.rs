//! Moving rows to the newest epoch, step by step (E1, E5).
//!
//! A step reads a range of an older epoch and processes its rows in this order:
//!
//! 1. **copy**: each cell is put into the row's new place with its own timestamp and visibility, on
//!    the condition that the column has no cell at this timestamp there;
//! 2. **look**: the new places are read back. A cell counts as arrived if the table shows it, or
//!    shows newer versions instead. A cell that a delete marker hides there has not arrived: its
//!    row stays in the old place and is counted;
//! 3. **delete**: the old cells of rows that have arrived completely are deleted up to the
//!    timestamps that were copied.
//!
//! An interruption never leaves a cell in neither place. Completed work stays, and the step can be
//! repeated.

use std::num::NonZeroUsize;

use fluo_table::{Bytes, Cell, Excerpt, Grouped, Scan, Span, Table, counted, row_successor};
use futures_util::TryStreamExt;

use super::copy::{Arrival, Moving, move_rows};
use super::designs::{KeyMigration, places_of};
use crate::cells::size_bytes;
use crate::cursor::{Mark, MigrationCursor};
use crate::error::{RecipeError, RecipeErrorKind};
use crate::key_design::RowSelection;
use crate::number::count;

/// Maximum number of cells in one batch, because their size is not known in advance.
const MAX_BATCH_CELLS: usize = 256;

const STEP_CELLS: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// Limits on the size of one migration step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct MigrationOptions {
    step_cells: NonZeroUsize,
    memory_bytes: usize,
}

impl Default for MigrationOptions {
    fn default() -> Self {
        Self { step_cells: STEP_CELLS, memory_bytes: 16 << 20 }
    }
}

impl MigrationOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the cells after which a step ends, at the end of their row. The default is 4,096.
    pub fn step_cells(self, step_cells: NonZeroUsize) -> Self {
        Self { step_cells, ..self }
    }

    /// Sets the bytes of cells after which a step ends, at the end of their row. The default is 16
    /// MiB. A column must fit with all of its versions.
    pub fn memory_bytes(self, memory_bytes: usize) -> Self {
        Self { memory_bytes, ..self }
    }
}

/// The result of one migration step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationStep {
    /// The start of the next step, or `None` if this was the last.
    pub cursor: Option<MigrationCursor>,
    /// Stored rows that the step read.
    pub rows_seen: u64,
    /// Rows that were moved; a part of a large row counts as one.
    pub rows_moved: u64,
    /// Cells of the moved rows.
    pub cells_moved: u64,
    /// Rows that were not moved because writers changed them at each attempt, or because the
    /// outcome of a copy is unknown. The next run moves them.
    pub rows_contended: u64,
    /// Rows that were not moved because a delete marker in the new place would hide them. The
    /// marker comes from an earlier move of the row away from there, or from a delete that has not
    /// reached the old place yet. A compaction drops the marker, and the next run moves the rows.
    pub rows_hidden: u64,
    /// Rows that none of the designs can have made. They are not changed.
    pub rows_foreign: u64,
    /// Rows that were not moved because the newest design has no key for them.
    pub rows_without_key: u64,
}

impl KeyMigration {
    /// Moves the next range of older rows to the newest epoch. Without a cursor it starts from the
    /// beginning, which moves no row twice.
    ///
    /// # Errors
    ///
    /// Fails if the cursor belongs to other epochs; also as [`Table::scan`], [`Table::write`] and
    /// [`Table::write_conditional`]. No error loses a cell, so the step can be repeated.
    pub async fn migrate_step(
        &self,
        table: &dyn Table,
        cursor: Option<&MigrationCursor>,
        options: &MigrationOptions,
    ) -> Result<MigrationStep, RecipeError> {
        let mark = Mark::of(&self.designs, &RowSelection::All);
        if let Some(cursor) = cursor.filter(|cursor| cursor.mark != mark) {
            return Err(RecipeError::cursor(format!(
                "the cursor `{cursor}` belongs to other designs: start without a cursor"
            )));
        }
        let epoch = cursor.map_or(0, |cursor| cursor.epoch);
        let after = cursor.and_then(|cursor| cursor.after.as_ref());
        let (Some(design), true) = (self.designs().nth(epoch), epoch + 1 < self.designs().len())
        else {
            return Ok(MigrationStep::default());
        };
        let (cells, rest) = read(table, places_of(design)?, after, options).await?;
        let mut step = MigrationStep::default();
        let mut moving = self.moving(epoch, &cells, &mut step)?;
        let arrivals = move_rows(table, self.versions, &mut moving).await?;
        for (row, arrival) in moving.iter().zip(arrivals) {
            match arrival {
                Arrival::Whole => {
                    step.rows_moved += 1;
                    step.cells_moved += count(row.cells.len());
                }
                Arrival::Contended => step.rows_contended += 1,
                Arrival::Hidden => step.rows_hidden += 1,
            }
        }

        let last = cells.last().map(|cell| Bytes::copy_from_slice(&cell.key.row));
        let next = |epoch, after| Some(MigrationCursor { mark, epoch, after });
        step.cursor = match rest {
            Rest::Nothing if epoch + 2 == self.designs().len() => None,
            Rest::Nothing => next(epoch + 1, None),
            // The moved columns have been deleted, so the next step finds the rest of the row. If
            // no column was moved, the same cells would be found again in every step.
            Rest::Columns if step.rows_moved > 0 => next(epoch, after.cloned()),
            Rest::Rows | Rest::Columns => next(epoch, last),
        };
        Ok(step)
    }

    /// Returns the rows of a range that must be moved.
    fn moving(
        &self,
        epoch: usize,
        cells: &[Cell],
        step: &mut MigrationStep,
    ) -> Result<Vec<Moving>, RecipeError> {
        let mut moving = Vec::new();
        for cells in cells.chunk_by(|one, next| one.key.row == next.key.row) {
            let Some(key) = cells.first().map(|cell| &cell.key.row) else {
                continue;
            };
            step.rows_seen += 1;
            let mut row = Vec::new();
            match self.decode_key_to(key, &mut row) {
                Ok(owner) if owner == epoch => match self.key(&row) {
                    Ok(to) => moving.push(Moving::new(to, cells.to_vec())),
                    Err(error) if error.kind() == RecipeErrorKind::Row => {
                        step.rows_without_key += 1;
                    }
                    Err(error) => return Err(error),
                },
                Ok(_) => {}
                Err(_) => step.rows_foreign += 1,
            }
        }
        Ok(moving)
    }
}

/// The kind of cells after a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// No cells: the range was the last of its epoch.
    Nothing,
    /// Other rows.
    Rows,
    /// More columns of its only row.
    Columns,
}

/// Reads a range of these spans, which starts after a stored row, if one is given: whole rows, or
/// whole columns of a row that is too large for a step.
async fn read(
    table: &dyn Table,
    spans: Vec<Span>,
    after: Option<&Bytes>,
    options: &MigrationOptions,
) -> Result<(Vec<Cell>, Rest), RecipeError> {
    let most = options.step_cells.get();
    let batch_cells = NonZeroUsize::new(most.min(MAX_BATCH_CELLS)).unwrap_or(NonZeroUsize::MIN);
    let spans = spans.into_iter().map(|span| behind(span, after));
    let mut batches = table.scan(Scan::over_all(spans).batch_cells(batch_cells));
    let (mut cells, mut bytes) = (Vec::new(), 0);
    while let Some(batch) = batches.try_next().await? {
        bytes += batch.iter().map(size_bytes).sum::<usize>();
        cells.extend(batch);
        if cells.len() < most && bytes < options.memory_bytes {
            continue;
        }
        // The next batch may contain more of the last row, or of its last column.
        let (whole, rest) = whole_part(&cells);
        if whole > 0 {
            cells.truncate(whole);
            return Ok((cells, rest));
        }
        if bytes >= options.memory_bytes {
            let row = Excerpt::new(cells.first().map_or(&[], |cell| cell.key.row.as_ref()));
            let (bytes, bound) = (counted(bytes, "byte"), Grouped::new(options.memory_bytes));
            return Err(RecipeError::settings(format!(
                "one column of the row {row} has {bytes}, but a step may hold {bound}: raise `memory_bytes`"
            )));
        }
    }
    Ok((cells, Rest::Nothing))
}

/// Returns the number of cells in whole rows or, if there is only one row, in whole columns.
fn whole_part(cells: &[Cell]) -> (usize, Rest) {
    let Some(last) = cells.last().map(|cell| &cell.key) else {
        return (0, Rest::Rows);
    };
    match cells.partition_point(|cell| cell.key.row < last.row) {
        0 => (cells.partition_point(|cell| cell.key.column < last.column), Rest::Columns),
        rows => (rows, Rest::Rows),
    }
}

fn behind(span: Span, after: Option<&Bytes>) -> Span {
    let Some(after) = after else { return span };
    let start = span.start().row.clone().max(row_successor(after));
    Span::rows(start, span.end().map(|end| end.row.clone()))
}
