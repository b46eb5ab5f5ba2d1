//! One piece of the table: the rows read so far, and the position of the next read.

use std::collections::VecDeque;

use fluo_table::{Bytes, Cell, CellBatches, Key, Result, Span};
use futures_util::stream::StreamExt;

use super::read::Read;
use crate::cells::size_bytes;
use crate::key_design::RowRange;

#[derive(Default)]
pub(super) struct Piece {
    /// The stored row from which the next scan starts.
    start: Bytes,
    /// The first stored row after the piece.
    end: Option<Bytes>,
    /// Number of bytes of salt at the beginning of the keys.
    head_len: usize,
    /// The last key read, if the next scan starts in the middle of a row.
    after: Option<Key>,
    pub(super) current: Read,
    /// The rows that are merged after them.
    pub(super) ahead: VecDeque<Read>,
    /// The cells of the last row read, of which more may follow.
    pub(super) open_row: Vec<Cell>,
    /// `true` if the open row comes from more than one read.
    spans_reads: bool,
    pub(super) source: Source,
    pub(super) reads: u32,
}

/// The state of the first row of a piece that is not yet merged.
///
/// An open row suffices to compare pieces, because all cells of a row have the same key. Only the
/// row of the winner is read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Head {
    Missing,
    /// More cells of the row may follow.
    Open,
    Whole,
}

#[derive(Default)]
pub(super) enum Source {
    #[default]
    New,
    /// An open scan, and the number of cells in its batches.
    Open(CellBatches, usize),
    Reading,
    Ended,
}

pub(super) struct Fetched {
    pub(super) piece: usize,
    /// Its next cells; empty only at its end.
    pub(super) cells: Result<Vec<Cell>>,
    /// The scan, if it stays open.
    pub(super) source: Source,
}

/// Reads the next cells of a piece: one batch of a scan that stays open, or all of its cells.
pub(super) async fn fetch(
    piece: usize,
    mut batches: CellBatches,
    batch_cells: usize,
    stays_open: bool,
) -> Fetched {
    let least = if stays_open { 1 } else { batch_cells };
    let mut cells = Vec::new();
    // A table may return smaller batches than requested.
    while cells.len() < least {
        match batches.next().await {
            None => return Fetched { piece, cells: Ok(cells), source: Source::Ended },
            Some(Err(error)) => return Fetched { piece, cells: Err(error), source: Source::Ended },
            Some(Ok(batch)) if cells.is_empty() => cells = batch,
            Some(Ok(batch)) => cells.extend(batch),
        }
    }
    let source = if stays_open { Source::Open(batches, batch_cells) } else { Source::New };
    Fetched { piece, cells: Ok(cells), source }
}

impl Piece {
    pub(super) fn new(RowRange { start, end }: RowRange, head_len: usize) -> Self {
        Self { start, end, head_len, ..Self::default() }
    }

    /// Creates a piece of rows of an older epoch. The memory of the merge does not count them.
    pub(super) fn from_held(mut rows: Read) -> Self {
        rows.take_bytes();
        Self { current: rows, source: Source::Ended, ..Self::default() }
    }

    pub(super) fn head(&self) -> Head {
        if self.current.has_next() {
            Head::Whole
        } else if self.ahead.is_empty() && !self.open_row.is_empty() {
            Head::Open
        } else {
            Head::Missing
        }
    }

    pub(super) fn head_unsalted(&self) -> Option<&[u8]> {
        let open = || self.open_row.first()?.key.row.get(self.head_len..);
        self.current.next_unsalted().or_else(open)
    }

    /// Replaces the current rows by those read ahead, if all are merged. Returns the bytes that
    /// stop counting as held.
    pub(super) fn turn(&mut self) -> usize {
        let mut released = 0;
        while !self.current.has_next() {
            released += self.current.take_bytes();
            let Some(ahead) = self.ahead.pop_front() else { break };
            self.current = ahead;
        }
        released
    }

    /// Checks whether another read may begin, and none has been made ahead of the merge.
    pub(super) fn has_nothing_ahead(&self) -> bool {
        self.is_idle() && self.ahead.is_empty() && !self.spans_reads
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

    /// Records a read. Returns the number of cells that it added and their size, and the cells of
    /// the rows that are complete now.
    pub(super) fn record(
        &mut self,
        mut cells: Vec<Cell>,
        source: Source,
    ) -> ((usize, usize), [Vec<Cell>; 2]) {
        self.source = source;
        let last = cells.last().map(|cell| cell.key.clone());
        let others = last.as_ref().map_or(0, |last| before_row_of(last, &cells));
        let mut is_whole = matches!(self.source, Source::Ended);
        match (&self.source, last) {
            // The scan is closed and its last row may be incomplete, so the next scan reads that
            // row from its beginning, unless it is the only row of the read.
            (Source::New, Some(last)) if others > 0 => {
                is_whole = true;
                cells.truncate(others);
                self.start = last.row;
                self.after = None;
            }
            (_, last) => self.after = last.or(self.after.take()),
        }
        let added = (cells.len(), cells.iter().map(size_bytes).sum());
        (added, self.complete(cells, is_whole))
    }

    /// Returns the open row, if the cells of other rows follow it, and the cells up to the last
    /// row, which is open unless they are whole.
    fn complete(&mut self, cells: Vec<Cell>, is_whole: bool) -> [Vec<Cell>; 2] {
        let mut open = std::mem::take(&mut self.open_row);
        let row = |cells: &[Cell]| cells.first().map(|cell| cell.key.row.clone());
        let goes_on = cells.is_empty() || row(&open) == row(&cells);
        let spans_reads = goes_on && !open.is_empty();
        let (before, mut rows) = if goes_on {
            open.extend(cells);
            (Vec::new(), open)
        } else {
            (open, cells)
        };
        self.spans_reads = false;
        if !is_whole && let Some(last) = rows.last() {
            match before_row_of(&last.key, &rows) {
                0 => {
                    self.spans_reads = spans_reads;
                    self.open_row = std::mem::take(&mut rows);
                }
                others => self.open_row = rows.split_off(others),
            }
        }
        [before, rows]
    }
}

fn before_row_of(key: &Key, cells: &[Cell]) -> usize {
    cells.partition_point(|cell| cell.key.row < key.row)
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;

    use super::*;
    use crate::key_design::{KeyDesign, Modulo, RowSelection};
    use crate::key_migration::KeyMigration;
    use crate::salted_scan::scan::EpochReader;

    fn cell(row: &'static str, timestamp: i64) -> Cell {
        Cell::new(Key::new(row, Column::new("f", "q"), timestamp), "")
    }

    /// Returns a reader of keys that begin with `00|`.
    fn reader() -> EpochReader {
        let design = KeyDesign::new(Modulo { buckets: 1, ..Modulo::default() }).unwrap();
        let scan = KeyMigration::of_one(&design).scan(&RowSelection::All).unwrap();
        EpochReader { scan: scan.into(), epoch: 0 }
    }

    #[test]
    fn a_short_scan_reads_the_last_row_of_the_previous_one_again() {
        let mut piece =
            Piece::new(RowRange { start: Bytes::from("a"), end: Some(Bytes::from("z")) }, 0);
        let (_, rows) = piece.record(vec![cell("b", 2), cell("b", 1), cell("c", 2)], Source::New);
        assert_eq!(rows, [vec![], vec![cell("b", 2), cell("b", 1)]]);
        assert_eq!(piece.rest(), Span::rows("c", Some(Bytes::from("z"))));
    }

    #[test]
    fn an_open_row_is_the_head_after_whole_rows() {
        let mut piece = Piece::new(RowRange { start: Bytes::new(), end: None }, 3);
        assert_eq!((piece.head(), piece.head_unsalted()), (Head::Missing, None));
        assert!(piece.has_nothing_ahead());
        for timestamp in [3, 2] {
            piece.record(vec![cell("00|b", timestamp)], Source::New);
            assert_eq!((piece.head(), piece.head_unsalted()), (Head::Open, Some(&b"b"[..])));
            // The second read was made ahead of the merge.
            assert_eq!(piece.has_nothing_ahead(), timestamp == 3);
        }
        let (_, [row, _]) = piece.record(vec![cell("00|c", 1)], Source::New);
        piece.ahead.push_back(Read::new(row, &reader()));
        piece.turn();
        assert_eq!((piece.head(), piece.head_unsalted()), (Head::Whole, Some(&b"b"[..])));
        piece.current.advance();
        assert!(piece.turn() > 0);
        assert_eq!((piece.head(), piece.head_unsalted()), (Head::Open, Some(&b"c"[..])));
    }

    #[test]
    fn held_rows_release_no_memory() {
        let mut piece = Piece::from_held(Read::new(vec![cell("00|b", 1)], &reader()));
        assert_eq!(piece.head(), Head::Whole);
        piece.current.advance();
        assert_eq!((piece.head(), piece.turn()), (Head::Missing, 0));
    }

    #[test]
    fn a_row_that_is_longer_than_a_read_is_complete_at_the_next_row() {
        let mut piece = Piece::new(RowRange { start: Bytes::from("a"), end: None }, 0);
        let (_, rows) = piece.record(vec![cell("b", 3), cell("b", 2)], Source::New);
        assert_eq!(rows, [vec![], vec![]]);
        assert_eq!(piece.rest(), Span::between(cell("b", 2).key.successor(), None));
        let (_, rows) = piece.record(vec![cell("b", 1), cell("c", 1), cell("d", 1)], Source::New);
        let whole = vec![cell("b", 3), cell("b", 2), cell("b", 1), cell("c", 1)];
        assert_eq!(rows, [vec![], whole]);
        let (_, rows) = piece.record(vec![cell("d", 1)], Source::New);
        assert_eq!(rows, [vec![], vec![]]);
        let (_, rows) = piece.record(vec![cell("e", 1)], Source::Ended);
        assert_eq!(rows, [vec![cell("d", 1)], vec![cell("e", 1)]]);
    }
}
