//! The whole rows of one read, with an index for the merge.

use std::ops::Range;
use std::sync::Arc;

use fluo_table::{Bytes, Cell};

use super::batch::RowBatch;
use super::memory::MAX_CELLS;
use super::scan::{EpochReader, Owner};
use crate::cells::size_bytes;

/// The cells of whole rows, and an index of the rows that belong to the reader.
///
/// One pass right after the read collects everything the merge needs of each row, while the cells
/// are adjacent in the processor's cache. The merge alternates between reads: it touches only these
/// short arrays, and no cell.
#[derive(Default)]
pub(super) struct Read {
    cells: Arc<Vec<Cell>>,
    rows: Vec<ReadRow>,
    text: Vec<u8>,
    /// The first row that is not yet merged, and the start of its text.
    next: usize,
    text_start: usize,
    head_len: usize,
    /// The bytes of the cells, while they count as held.
    bytes: usize,
    /// The last batch that shares the cells, and the index of this read in that batch.
    shared: (u64, usize),
}

struct ReadRow {
    cells: Range<usize>,
    text_end: usize,
    form: RowForm,
}

#[derive(PartialEq, Eq)]
enum RowForm {
    /// The user's row equals the bytes after the salt.
    Unsalted,
    /// The user's row is written in another form.
    Encoded,
    /// No design can have made the key.
    Foreign,
}

impl Read {
    pub(super) fn new(cells: Vec<Cell>, reader: &EpochReader) -> Self {
        let row_len = cells.first().map_or(0, |cell| cell.key.row.len());
        // More cells are those of a wide row, or of a window of an older epoch.
        let rows = cells.len().min(MAX_CELLS);
        let mut read = Self {
            rows: Vec::with_capacity(rows),
            text: Vec::with_capacity(row_len * rows),
            head_len: reader.head_len(),
            bytes: cells.iter().map(size_bytes).sum(),
            ..Self::default()
        };
        let mut start = 0;
        for row in cells.chunk_by(|one, next| one.key.row == next.key.row) {
            let end = start + row.len();
            if let Some(first) = row.first() {
                read.add_row(&first.key.row, start..end, reader);
            }
            start = end;
        }
        read.cells = Arc::new(cells);
        read
    }

    fn add_row(&mut self, key: &[u8], cells: Range<usize>, reader: &EpochReader) {
        let text_start = self.text.len();
        let form = match reader.owner(key, &mut self.text) {
            Owner::Reader if self.text.get(text_start..) == key.get(self.head_len..) => {
                RowForm::Unsalted
            }
            Owner::Reader => RowForm::Encoded,
            Owner::Another => return,
            Owner::Unknown(_) => RowForm::Foreign,
        };
        self.rows.push(ReadRow { cells, text_end: self.text.len(), form });
    }

    /// Returns the bytes of the cells, which stop counting as held.
    pub(super) fn take_bytes(&mut self) -> usize {
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn has_next(&self) -> bool {
        self.next < self.rows.len()
    }

    pub(super) fn next_unsalted(&self) -> Option<&[u8]> {
        let row = self.rows.get(self.next)?;
        match row.form {
            RowForm::Unsalted => self.text.get(self.text_start..row.text_end),
            _ => self.next_cells().first()?.key.row.get(self.head_len..),
        }
    }

    pub(super) fn next_row(&self) -> &[u8] {
        let end = self.rows.get(self.next).map_or(self.text_start, |row| row.text_end);
        self.text.get(self.text_start..end).unwrap_or_default()
    }

    pub(super) fn next_cells(&self) -> &[Cell] {
        let row = self.rows.get(self.next);
        row.and_then(|row| self.cells.get(row.cells.clone())).unwrap_or_default()
    }

    /// Returns the stored key of the next row if no design can have made it.
    pub(super) fn next_foreign(&self) -> Option<&Bytes> {
        self.rows.get(self.next).filter(|row| row.form == RowForm::Foreign)?;
        self.next_cells().first().map(|cell| &cell.key.row)
    }

    /// Adds the next row to the batch with this number. The batch shares the cells.
    pub(super) fn add_next(&mut self, batch: &mut RowBatch, number: u64) {
        if self.shared.0 != number {
            self.shared = (number, batch.share(self.cells.clone()));
        }
        if let Some(row) = self.rows.get(self.next) {
            batch.add(self.next_row(), self.shared.1, row.cells.clone());
        }
    }

    pub(super) fn advance(&mut self) {
        if let Some(row) = self.rows.get(self.next) {
            self.text_start = row.text_end;
            self.next += 1;
        }
    }
}
