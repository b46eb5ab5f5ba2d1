//! The cells of one read, with an index of their rows for the merge.

use std::ops::Range;
use std::sync::Arc;

use fluo_table::{Bytes, Cell};

use super::memory::size_bytes;
use crate::error::RecipeError;

/// The owner of a stored key, from the point of view of one reader.
pub(super) enum Owner {
    /// The reader itself; the row was appended.
    Reader,
    /// Another reader, which yields the row.
    Another,
    /// No reader, for this reason.
    Unknown(RecipeError),
}

/// A function that returns the owner of a stored key, and appends the row if the owner is the
/// reader.
pub(super) type OwnerOf = Arc<dyn Fn(&[u8], &mut Vec<u8>) -> Owner + Send + Sync>;

/// The cells of a read, and the rows that they form.
///
/// One pass right after the read collects everything the merge needs of each row, while the cells
/// are adjacent in the processor's cache. The merge alternates between reads: it touches only these
/// short arrays, and no cell.
#[derive(Default)]
pub(super) struct Read {
    cells: Arc<Vec<Cell>>,
    rows: Vec<ReadRow>,
    /// The user's rows, one after the other.
    text: Vec<u8>,
    /// The first row that is not yet merged, and the start of its cells and its text.
    next: usize,
    cell_start: usize,
    text_start: usize,
    /// `true` if the last row is complete.
    pub(super) is_whole: bool,
    /// The bytes of the cells, while they count as held.
    pub(super) bytes: usize,
    /// The last batch that shares the cells, and the index of this read in that batch.
    shared: (u64, usize),
}

/// One row of a read.
#[derive(Clone, Copy)]
struct ReadRow {
    cell_end: usize,
    text_end: usize,
    whose: Whose,
}

/// The owner of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The reader itself.
    Reader {
        /// `true` if the user's row equals the bytes after the salt.
        is_unsalted: bool,
    },
    Another,
    Unknown,
}

/// The first row of a read that is not yet merged.
pub(super) struct NextRow<'a> {
    pub(super) text: &'a [u8],
    pub(super) cells: Range<usize>,
    pub(super) whose: Whose,
    /// `true` if it ends with the read, so that more of it may follow.
    pub(super) may_go_on: bool,
}

impl Read {
    pub(super) fn new(
        cells: Vec<Cell>,
        is_whole: bool,
        head_len: usize,
        owner_of: &OwnerOf,
    ) -> Self {
        let mut read = Self {
            is_whole,
            rows: Vec::with_capacity(cells.len()),
            text: Vec::with_capacity(
                cells.first().map_or(0, |cell| cell.key.row.len()) * cells.len(),
            ),
            ..Self::default()
        };
        let mut rest = cells.as_slice();
        while let Some(first) = rest.first() {
            let key = &first.key.row;
            let (mut count, mut bytes) = (1, size_bytes(first));
            for cell in rest.iter().skip(1).take_while(|cell| cell.key.row == *key) {
                count += 1;
                bytes += size_bytes(cell);
            }
            read.bytes += bytes;
            read.add_row(key, count, head_len, owner_of);
            rest = rest.get(count..).unwrap_or_default();
        }
        read.cells = Arc::new(cells);
        read
    }

    fn add_row(&mut self, key: &[u8], cells: usize, head_len: usize, owner_of: &OwnerOf) {
        let (cell_start, text_start) =
            self.rows.last().map_or((0, 0), |last| (last.cell_end, last.text_end));
        let whose = match owner_of(key, &mut self.text) {
            Owner::Reader => {
                Whose::Reader { is_unsalted: self.text.get(text_start..) == key.get(head_len..) }
            }
            Owner::Another => Whose::Another,
            Owner::Unknown(_) => Whose::Unknown,
        };
        if !matches!(whose, Whose::Reader { .. }) {
            self.text.truncate(text_start);
        }
        self.rows.push(ReadRow { cell_end: cell_start + cells, text_end: self.text.len(), whose });
    }

    /// Returns the bytes of the cells, which stop counting as held.
    pub(super) fn take_bytes(&mut self) -> usize {
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn has_next(&self) -> bool {
        self.next < self.rows.len()
    }

    /// Returns the part of the next row after its salt.
    pub(super) fn next_unsalted(&self, head_len: usize) -> Option<&[u8]> {
        let row = self.rows.get(self.next)?;
        match row.whose {
            Whose::Reader { is_unsalted: true } => self.text.get(self.text_start..row.text_end),
            _ => self.next_key()?.get(head_len..),
        }
    }

    pub(super) fn next_key(&self) -> Option<&Bytes> {
        self.cells.get(self.cell_start).map(|cell| &cell.key.row)
    }

    pub(super) fn next_cells(&self) -> Option<&[Cell]> {
        let row = self.rows.get(self.next)?;
        self.cells.get(self.cell_start..row.cell_end)
    }

    pub(super) fn next_row(&self) -> Option<NextRow<'_>> {
        let row = self.rows.get(self.next)?;
        Some(NextRow {
            text: self.text.get(self.text_start..row.text_end)?,
            cells: self.cell_start..row.cell_end,
            whose: row.whose,
            may_go_on: !self.is_whole && row.cell_end == self.cells.len(),
        })
    }

    pub(super) fn advance(&mut self) {
        if let Some(row) = self.rows.get(self.next) {
            (self.cell_start, self.text_start) = (row.cell_end, row.text_end);
            self.next += 1;
        }
    }

    /// Returns the index of this read in a batch; calls `share` to get one, once for each batch.
    pub(super) fn shared_in(
        &mut self,
        batch: u64,
        share: impl FnOnce(Arc<Vec<Cell>>) -> usize,
    ) -> usize {
        if self.shared.0 != batch {
            self.shared = (batch, share(self.cells.clone()));
        }
        self.shared.1
    }
}
