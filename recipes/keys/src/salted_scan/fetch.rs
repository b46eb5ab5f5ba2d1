//! One read of one piece of the table.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{Cell, CellBatches, ColumnSelector, Filter, Result, Scan, Span, Table};
use futures_util::stream::StreamExt;

/// The table, columns and filter that every read of a scan uses.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) table: Arc<dyn Table>,
    pub(super) columns: Vec<ColumnSelector>,
    pub(super) filter: Filter,
}

/// The starting point of a read.
pub(super) enum From {
    /// The start of a span, for a single read.
    Once(Span),
    /// The start of a span, for a scan that stays open after the read.
    Start(Span),
    /// An open scan, and the number of cells in its batches.
    Open(CellBatches, usize),
}

/// The result of a read.
pub(super) struct Fetched {
    /// The number of the piece.
    pub(super) piece: usize,
    /// Its next cells; empty only at its end.
    pub(super) cells: Result<Vec<Cell>>,
    /// The scan, if it stays open, and the number of cells in its batches.
    pub(super) open: Option<(CellBatches, usize)>,
    /// `true` if the piece has no more cells.
    pub(super) is_end: bool,
}

pub(super) async fn fetch(
    selection: Arc<Selection>,
    piece: usize,
    from: From,
    cells: NonZeroUsize,
) -> Fetched {
    let (mut batches, of_cells) = match from {
        From::Once(span) => (selection.scan(span, cells), None),
        From::Start(span) => (selection.scan(span, cells), Some(cells.get())),
        From::Open(batches, of_cells) => (batches, Some(of_cells)),
    };
    let least = of_cells.map_or(cells.get(), |_| 1);
    let read = read_at_least(&mut batches, least).await;
    let is_end = read.as_ref().is_ok_and(|(_, is_end)| *is_end);
    Fetched {
        piece,
        cells: read.map(|(cells, _)| cells),
        open: of_cells.filter(|_| !is_end).map(|cells| (batches, cells)),
        is_end,
    }
}

/// Reads until there are `least` cells or the piece ends, because a table may return smaller
/// batches than requested.
async fn read_at_least(batches: &mut CellBatches, least: usize) -> Result<(Vec<Cell>, bool)> {
    let mut cells = Vec::new();
    while cells.len() < least {
        match batches.next().await {
            None => return Ok((cells, true)),
            Some(batch) if cells.is_empty() => cells = batch?,
            Some(batch) => cells.extend(batch?),
        }
    }
    Ok((cells, false))
}

impl Selection {
    fn scan(&self, span: Span, cells: NonZeroUsize) -> CellBatches {
        let scan = Scan::over(span).filter(self.filter).batch_cells(cells);
        let scan = self.columns.iter().cloned().fold(scan, Scan::column);
        self.table.scan(scan)
    }
}
