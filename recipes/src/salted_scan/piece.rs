//! One piece of the table: what was read of it, and where it is gone on with.

use fluo_core::{Bytes, Cell, CellBatches, Key, Span};

use super::batch::RowBatch;
use super::read::Read;

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

/// What a read brought of a piece.
pub(super) struct Brought {
    pub(super) cells: Vec<Cell>,
    /// Whether no cell of its last row can follow.
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

    /// What is being merged.
    pub(super) fn current(&self) -> &Read {
        &self.current
    }

    /// What is being merged.
    pub(super) fn current_mut(&mut self) -> &mut Read {
        &mut self.current
    }

    /// Whether there is a row to be merged, as far as it was read.
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

    /// Takes note that a read was the last of the piece, and of what it brought.
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

    /// Takes note of what a scan brought that stays open.
    pub(super) fn still_open(&mut self, cells: Vec<Cell>, open: (CellBatches, usize)) -> Brought {
        self.after = cells.last().map(|cell| cell.key.clone());
        self.source = Source::Open(open.0, open.1);
        Brought {
            cells,
            is_whole: false,
        }
    }

    /// Takes note of what a scan brought that is not gone on with. Nobody knows whether its last row is whole: the
    /// next scan reads that row from its beginning, unless there is no other.
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

    /// Adds what was read last.
    pub(super) fn add(&mut self, read: Read) {
        if !self.has_head() && self.current.bytes() == 0 {
            self.current = read;
        } else {
            self.ahead = Some(read);
        }
    }

    /// Goes on to what was read ahead; false if nothing was.
    pub(super) fn turn(&mut self) -> bool {
        let ahead = self.ahead.take();
        let has_ahead = ahead.is_some();
        if let Some(ahead) = ahead {
            self.current = ahead;
        }
        has_ahead
    }

    /// Lets go of what was merged; returns its bytes.
    pub(super) fn clear(&mut self) -> usize {
        self.current.take_bytes()
    }

    /// Copies the cells of the first row, or of the row that the batch has open. False if more of it has to be read.
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
