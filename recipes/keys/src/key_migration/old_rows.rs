//! The rows that a step reads from an older epoch.

use std::num::NonZeroUsize;

use fluo_table::{Bytes, Cell, Excerpt, Scan, Span, Table, row_successor};
use futures_util::TryStreamExt;

use crate::cells::size_bytes;
use crate::error::RecipeError;

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

/// The kind of cells after a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// No cells: the range was the last of its epoch.
    Nothing,
    /// Other rows.
    Rows,
    /// More columns of its only row.
    Columns,
}

/// Reads a range of these spans, which starts after a stored row, if one is given: whole rows, or
/// whole columns of a row that is too large for a step.
pub(super) async fn read(
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
            let bound = options.memory_bytes;
            return Err(RecipeError::settings(format!(
                "one column of the row {row} has {bytes} bytes, but a step may hold {bound}: raise `memory_bytes`"
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
