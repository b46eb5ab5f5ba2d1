//! What one read brought, and what the merge has to know of it.

use std::ops::Range;
use std::sync::Arc;

use fluo_core::{Bytes, Cell};

use super::memory::size_bytes;
use super::owner::{Owner, OwnerOf};

/// Cells that were read, and the rows that they make up.
///
/// All that is known of a row is found in one pass right after the read, while the cells lie in the processor's cache
/// and one after the other. The merge goes to and fro between reads: it touches only these short arrays, and no cell.
#[derive(Default)]
pub(super) struct Read {
    cells: Arc<Vec<Cell>>,
    rows: Vec<ReadRow>,
    /// The user's rows, one after the other.
    text: Vec<u8>,
    /// The first row that was not yet merged, and where its cells and its text begin.
    next: usize,
    cell_start: usize,
    text_start: usize,
    /// Whether no cell of the last row can follow.
    is_whole: bool,
    bytes: usize,
    /// The last batch that shares the cells, and their number there.
    shared: (u64, usize),
}

/// One row of a read.
#[derive(Clone, Copy)]
struct ReadRow {
    cell_end: usize,
    text_end: usize,
    whose: Whose,
}

/// Whose a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The reader's.
    Reader {
        /// Whether the user's row is what follows the salt.
        is_unsalted: bool,
    },
    Another,
    Nobody,
}

/// The first row of a read that was not yet merged.
pub(super) struct NextRow<'a> {
    pub(super) text: &'a [u8],
    pub(super) cells: Range<usize>,
    pub(super) whose: Whose,
    /// Whether it ends with the read, and more of it may follow.
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
        let (cell_start, text_start) = self
            .rows
            .last()
            .map_or((0, 0), |last| (last.cell_end, last.text_end));
        let whose = match owner_of(key, &mut self.text) {
            Owner::Reader => Whose::Reader {
                is_unsalted: self.text.get(text_start..) == key.get(head_len..),
            },
            Owner::Another => Whose::Another,
            Owner::Nobody(_) => Whose::Nobody,
        };
        if !matches!(whose, Whose::Reader { .. }) {
            self.text.truncate(text_start);
        }
        self.rows.push(ReadRow {
            cell_end: cell_start + cells,
            text_end: self.text.len(),
            whose,
        });
    }

    /// Bytes of its cells, as long as they count as held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its cells count as held no more.
    pub(super) fn take_bytes(&mut self) -> usize {
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn set_whole(&mut self) {
        self.is_whole = true;
    }

    pub(super) fn has_next(&self) -> bool {
        self.next < self.rows.len()
    }

    /// What follows the salt of the next row.
    pub(super) fn next_unsalted(&self, head_len: usize) -> Option<&[u8]> {
        let row = self.rows.get(self.next)?;
        match row.whose {
            Whose::Reader { is_unsalted: true } => self.text.get(self.text_start..row.text_end),
            _ => self.next_key()?.get(head_len..),
        }
    }

    /// The stored key of the next row.
    pub(super) fn next_key(&self) -> Option<&Bytes> {
        self.cells.get(self.cell_start).map(|cell| &cell.key.row)
    }

    /// The cells of the next row, as far as they were read.
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

    /// Goes on to the row after the next one.
    pub(super) fn advance(&mut self) {
        if let Some(row) = self.rows.get(self.next) {
            (self.cell_start, self.text_start) = (row.cell_end, row.text_end);
            self.next += 1;
        }
    }

    /// The number of the cells in a batch; `share` gives them one, once for each batch.
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
