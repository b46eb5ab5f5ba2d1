//! One piece of the table: the cells read so far, and the position of the next read.

use fluo_table::{Bytes, Cell, CellBatches, Key, Span};

use super::batch::RowBatch;
use super::read::Read;

/// One piece of the table.
#[derive(Default)]
pub(super) struct Piece {
    /// The stored row from which the next scan starts.
    start: Bytes,
    /// The first stored row after the piece.
    end: Option<Bytes>,
    /// The last key read, if the next scan starts in the middle of a row.
    after: Option<Key>,
    /// The read that is being merged.
    current: Read,
    /// The read that is merged after it.
    ahead: Option<Read>,
    source: Source,
    /// Number of reads made.
    reads: u32,
}

/// The source of the next cells.
#[derive(Default)]
pub(super) enum Source {
    /// A new scan.
    #[default]
    New,
    /// An open scan, and the number of cells in its batches.
    Open(CellBatches, usize),
    /// A read in progress.
    Reading,
    /// The end of the piece.
    Ended,
}

/// The cells of one read of a piece.
pub(super) struct Brought {
    pub(super) cells: Vec<Cell>,
    /// `true` if the last row is complete.
    pub(super) is_whole: bool,
}

impl Piece {
    pub(super) fn new(start: Bytes, end: Option<Bytes>) -> Self {
        Self {
            start,
            end,
            ..Self::default()
        }
    }

    /// Returns the read that is being merged.
    pub(super) fn current(&self) -> &Read {
        &self.current
    }

    /// Returns the read that is being merged, to advance it.
    pub(super) fn current_mut(&mut self) -> &mut Read {
        &mut self.current
    }

    /// Checks whether a row that was read is waiting to be merged.
    pub(super) fn has_head(&self) -> bool {
        self.current.has_next()
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

    /// Returns the span that a new scan has to read.
    pub(super) fn rest(&self) -> Span {
        let start = match &self.after {
            Some(last) => last.successor(),
            None => Key::first_of_row(self.start.clone()),
        };
        Span::between(start, self.end.clone().map(Key::first_of_row))
    }

    /// Takes the source and marks the piece as being read.
    pub(super) fn begin(&mut self) -> Source {
        self.reads = self.reads.saturating_add(1);
        std::mem::replace(&mut self.source, Source::Reading)
    }

    /// Records the last read of the piece.
    pub(super) fn end_of_piece(&mut self, cells: Vec<Cell>) -> Brought {
        self.source = Source::Ended;
        if cells.is_empty() {
            self.ahead.as_mut().unwrap_or(&mut self.current).set_whole();
        }
        Brought {
            cells,
            is_whole: true,
        }
    }

    /// Records a read of a scan that stays open.
    pub(super) fn still_open(&mut self, cells: Vec<Cell>, open: (CellBatches, usize)) -> Brought {
        self.after = cells.last().map(|cell| cell.key.clone());
        self.source = Source::Open(open.0, open.1);
        Brought {
            cells,
            is_whole: false,
        }
    }

    /// Records a read of a scan that was closed.
    ///
    /// Its last row may be incomplete, so the next scan reads that row from its beginning, unless
    /// it is the only row of the read.
    pub(super) fn closed(&mut self, mut cells: Vec<Cell>) -> Brought {
        self.source = Source::New;
        let last = cells.last().map(|cell| cell.key.clone());
        let others = last.as_ref().map_or(0, |last| {
            cells.partition_point(|cell| cell.key.row < last.row)
        });
        if others == 0 {
            self.after = last.or(self.after.take());
        } else if let Some(last) = last {
            cells.truncate(others);
            self.start = last.row;
            self.after = None;
        }
        Brought {
            cells,
            is_whole: others > 0,
        }
    }

    /// Adds the latest read.
    pub(super) fn add(&mut self, read: Read) {
        if !self.has_head() && self.current.bytes() == 0 {
            self.current = read;
        } else {
            self.ahead = Some(read);
        }
    }

    /// Advances to the read-ahead cells, or returns `false` if there are none.
    pub(super) fn turn(&mut self) -> bool {
        let ahead = self.ahead.take();
        let has_ahead = ahead.is_some();
        if let Some(ahead) = ahead {
            self.current = ahead;
        }
        has_ahead
    }

    /// Releases the merged cells and returns their bytes.
    pub(super) fn clear(&mut self) -> usize {
        self.current.take_bytes()
    }

    /// Copies the cells of the first row, or of the row that the batch has open. Returns `false` if
    /// more of the row must be read.
    pub(super) fn copy_row(&mut self, batch: &mut RowBatch) -> bool {
        let Some(cells) = self.current.next_cells() else {
            return self.current.is_whole();
        };
        let is_another = |first: &Cell| {
            let open = batch.open_row();
            open.is_some_and(|(row, _)| first.key.row != *row)
        };
        if cells.first().is_some_and(is_another) {
            return true;
        }
        batch.open_cells().extend_from_slice(cells);
        self.current.advance();
        self.has_head() || self.current.is_whole()
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;

    use super::*;

    fn cell(row: &'static str, timestamp: i64) -> Cell {
        Cell {
            key: Key::new(row, Column::new("f", "q"), timestamp),
            value: Bytes::new(),
        }
    }

    #[test]
    fn a_short_scan_reads_the_last_row_of_the_previous_one_again() {
        let mut piece = Piece::new(Bytes::from("a"), Some(Bytes::from("z")));
        let brought = piece.closed(vec![cell("b", 2), cell("b", 1), cell("c", 2)]);
        assert_eq!(brought.cells, [cell("b", 2), cell("b", 1)]);
        assert!(brought.is_whole);
        assert_eq!(piece.rest(), Span::rows("c", Some(Bytes::from("z"))));
    }

    #[test]
    fn a_short_scan_continues_a_row_that_filled_the_previous_one() {
        let mut piece = Piece::new(Bytes::from("a"), None);
        let brought = piece.closed(vec![cell("b", 2), cell("b", 1)]);
        assert_eq!(brought.cells, [cell("b", 2), cell("b", 1)]);
        assert!(!brought.is_whole);
        assert_eq!(
            piece.rest(),
            Span::between(cell("b", 1).key.successor(), None)
        );
    }
}
