//! One read of one piece.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_core::{Cell, CellBatches, ColumnSelector, Filter, Result, Scan, Span, Table};
use futures::stream::StreamExt;

/// What is read of every piece.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) columns: Vec<ColumnSelector>,
    pub(crate) filter: Filter,
}

/// Where a read begins.
pub(super) enum From {
    /// At the start of a span, once.
    Once(Span),
    /// At the start of a span, to be gone on with.
    Start(Span),
    /// Where a scan stands whose batches have so many cells.
    Open(CellBatches, usize),
}

/// What a read brought.
pub(super) struct Fetched {
    /// The number of the piece.
    pub(super) piece: usize,
    /// Its next cells; empty only at its end.
    pub(super) cells: Result<Vec<Cell>>,
    /// The scan, if it is to be gone on with, and how many cells its batches have.
    pub(super) open: Option<(CellBatches, usize)>,
    /// Whether the piece has no more cells.
    pub(super) is_end: bool,
}

/// Reads about this many cells.
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

/// Reads until there are as many cells or no more: a table may cut its batches shorter than asked for.
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
