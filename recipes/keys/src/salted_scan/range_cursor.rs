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
    pub(super) current: Read,
    /// The read that is merged after it.
    pub(super) ahead: Option<Read>,
    pub(super) source: Source,
    /// Number of reads made.
    pub(super) reads: u32,
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

impl Piece {
    pub(super) fn new(start: Bytes, end: Option<Bytes>) -> Self {
        Self { start, end, ..Self::default() }
    }

    /// Checks whether a row that was read is waiting to be merged.
    pub(super) fn has_head(&self) -> bool {
        self.current.has_next()
    }

    pub(super) fn is_idle(&self) -> bool {
        matches!(self.source, Source::New | Source::Open(..))
    }

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

    /// Records a read, and returns its cells, and `true` if the last row is complete.
    pub(super) fn record(
        &mut self,
        mut cells: Vec<Cell>,
        open: Option<(CellBatches, usize)>,
        is_end: bool,
    ) -> (Vec<Cell>, bool) {
        if is_end {
            self.source = Source::Ended;
            if cells.is_empty() {
                self.ahead.as_mut().unwrap_or(&mut self.current).is_whole = true;
            }
            return (cells, true);
        }
        let last = cells.last().map(|cell| cell.key.clone());
        if let Some((open, of_cells)) = open {
            self.after = last;
            self.source = Source::Open(open, of_cells);
            return (cells, false);
        }
        self.source = Source::New;
        let others =
            last.as_ref().map_or(0, |last| cells.partition_point(|cell| cell.key.row < last.row));
        // The scan is closed and its last row may be incomplete, so the next scan reads that row
        // from its beginning, unless it is the only row of the read.
        if others == 0 {
            self.after = last.or(self.after.take());
        } else if let Some(last) = last {
            cells.truncate(others);
            self.start = last.row;
            self.after = None;
        }
        (cells, others > 0)
    }

    pub(super) fn add(&mut self, read: Read) {
        if !self.has_head() && self.current.bytes == 0 {
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

    /// Copies the cells of the first row, or of the row that the batch has open. Returns `false` if
    /// more of the row must be read.
    pub(super) fn copy_row(&mut self, batch: &mut RowBatch) -> bool {
        let Some(cells) = self.current.next_cells() else {
            return self.current.is_whole;
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
        self.has_head() || self.current.is_whole
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;

    use super::*;

    #[test]
    fn a_short_scan_reads_the_last_row_of_the_previous_one_again() {
        let cell = |row: &'static str, timestamp: i64| {
            Cell::new(Key::new(row, Column::new("f", "q"), timestamp), "")
        };
        let mut piece = Piece::new(Bytes::from("a"), Some(Bytes::from("z")));
        let (cells, is_whole) =
            piece.record(vec![cell("b", 2), cell("b", 1), cell("c", 2)], None, false);
        assert_eq!((cells, is_whole), (vec![cell("b", 2), cell("b", 1)], true));
        assert_eq!(piece.rest(), Span::rows("c", Some(Bytes::from("z"))));

        let mut piece = Piece::new(Bytes::from("a"), None);
        let (cells, is_whole) = piece.record(vec![cell("b", 2), cell("b", 1)], None, false);
        assert_eq!((cells, is_whole), (vec![cell("b", 2), cell("b", 1)], false));
        assert_eq!(piece.rest(), Span::between(cell("b", 1).key.successor(), None));
    }
}
