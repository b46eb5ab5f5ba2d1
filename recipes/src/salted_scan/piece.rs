//! One piece of the table: what was read of it, and where it is gone on with.

use std::vec;

use fluo_core::{Bytes, Cell, CellBatches, Key, Span};

use super::batch::RowBatch;

/// One piece of the table.
#[derive(Default)]
pub(super) struct Piece {
    /// The stored row from which the next scan starts.
    start: Bytes,
    /// The first stored row after the piece.
    end: Option<Bytes>,
    /// What was read last, where the next scan starts in the middle of a row.
    after: Option<Key>,
    /// What is being merged.
    current: Read,
    /// What is merged after it.
    ahead: Option<Read>,
    source: Source,
    /// How many reads were made.
    reads: u32,
}

/// Cells that were read.
#[derive(Default)]
struct Read {
    cells: vec::IntoIter<Cell>,
    /// Whether no cell of the last row can follow.
    is_whole: bool,
    bytes: usize,
}

/// Where the next cells come from.
#[derive(Default)]
pub(super) enum Source {
    /// From a new scan.
    #[default]
    New,
    /// From a scan that is open, with batches of so many cells.
    Open(CellBatches, usize),
    /// They are being read.
    Reading,
    /// There are no more.
    Ended,
}

impl Piece {
    pub(super) fn new(start: Bytes, end: Option<Bytes>) -> Self {
        Self {
            start,
            end,
            ..Self::default()
        }
    }

    /// The first cell that was not yet merged.
    pub(super) fn head(&self) -> Option<&Cell> {
        self.current.cells.as_slice().first()
    }

    /// The first row that was not yet merged, as far as it was read.
    pub(super) fn first_row(&self) -> Option<(&Bytes, &[Cell])> {
        let cells = self.current.cells.as_slice();
        let row = &cells.first()?.key.row;
        let count = cells.iter().take_while(|cell| cell.key.row == *row);
        Some((row, cells.get(..count.count())?))
    }

    pub(super) fn reads(&self) -> u32 {
        self.reads
    }

    pub(super) fn is_idle(&self) -> bool {
        matches!(self.source, Source::New | Source::Open(..))
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.source, Source::Ended)
    }

    pub(super) fn has_ahead(&self) -> bool {
        self.ahead.is_some()
    }

    /// What is left to be read by a new scan.
    pub(super) fn rest(&self) -> Span {
        let start = match &self.after {
            Some(last) => last.successor(),
            None => Key::first_of_row(self.start.clone()),
        };
        Span::between(start, self.end.clone().map(Key::first_of_row))
    }

    /// Takes the source: it is being read.
    pub(super) fn begin(&mut self) -> Source {
        self.reads = self.reads.saturating_add(1);
        std::mem::replace(&mut self.source, Source::Reading)
    }

    /// Takes what the last read of the piece brought.
    pub(super) fn end_of_piece(&mut self, cells: Vec<Cell>, bytes: usize) {
        self.source = Source::Ended;
        if cells.is_empty() {
            self.ahead.as_mut().unwrap_or(&mut self.current).is_whole = true;
        } else {
            self.add(cells, bytes, true);
        }
    }

    /// Takes what a scan brought that stays open.
    pub(super) fn still_open(
        &mut self,
        cells: Vec<Cell>,
        bytes: usize,
        open: (CellBatches, usize),
    ) {
        self.after = cells.last().map(|cell| cell.key.clone());
        self.source = Source::Open(open.0, open.1);
        self.add(cells, bytes, false);
    }

    /// Takes what a scan brought that is not gone on with. Nobody knows whether its last row is whole: the next scan
    /// reads that row from its beginning, unless there is no other.
    pub(super) fn closed(&mut self, mut cells: Vec<Cell>, bytes: usize) {
        self.source = Source::New;
        let Some(last) = cells.last().map(|cell| cell.key.clone()) else {
            return;
        };
        let others = cells.partition_point(|cell| cell.key.row < last.row);
        if others == 0 {
            self.after = Some(last);
            return self.add(cells, bytes, false);
        }
        cells.truncate(others);
        self.start = last.row;
        self.after = None;
        self.add(cells, bytes, true);
    }

    fn add(&mut self, cells: Vec<Cell>, bytes: usize, is_whole: bool) {
        let read = Read {
            cells: cells.into_iter(),
            is_whole,
            bytes,
        };
        if self.head().is_none() && self.current.bytes == 0 {
            self.current = read;
        } else {
            self.ahead = Some(read);
        }
    }

    /// Goes on to what was read ahead; returns the bytes that are held no more. None if nothing was.
    pub(super) fn turn(&mut self) -> Option<usize> {
        let ahead = self.ahead.take()?;
        Some(std::mem::replace(&mut self.current, ahead).bytes)
    }

    /// Lets go of what was merged; returns its bytes.
    pub(super) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.current.bytes)
    }

    /// Moves the cells of the first row, or of the row that the batch has open. False if more of it has to be read.
    pub(super) fn take_row(&mut self, batch: &mut RowBatch) -> bool {
        let Some(first) = self.head() else {
            return self.current.is_whole;
        };
        let row = batch.open_row().map_or(&first.key.row, |(row, _)| row);
        let held = self.current.cells.as_slice();
        let count = held.iter().take_while(|cell| cell.key.row == *row).count();
        let is_last = count == held.len();
        batch
            .open_cells()
            .extend(self.current.cells.by_ref().take(count));
        !is_last || self.current.is_whole
    }
}
