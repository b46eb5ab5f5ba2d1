//! The output of a salted scan: rows, in batches.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use fluo_table::{Bytes, Cell};

use crate::cursor::{Mark, ScanCursor};

/// A batch of rows of a salted scan, in order.
///
/// Rows come in batches so that the cost of a step is paid once for many rows. No batch of a scan
/// is empty. A batch shares its cells with the reads that fetched them, and keeps each such read in
/// memory as a whole: a caller that keeps a few rows for a long time should copy them.
#[derive(Clone)]
pub struct RowBatch {
    mark: Mark,
    text: Vec<u8>,
    /// The reads that hold the cells. A row is a slice of one of them, because moving its cells
    /// would cost more than reading them.
    reads: Vec<Arc<Vec<Cell>>>,
    places: Vec<BatchRow>,
    cell_count: usize,
}

#[derive(Clone)]
struct BatchRow {
    /// End of the user's row in the text; it begins at the end of the row before it.
    text_end: usize,
    read: usize,
    cells: Range<usize>,
}

/// One row of a [`RowBatch`].
#[derive(Clone, Copy, Debug)]
pub struct SaltedRow<'a> {
    /// The user's row.
    pub row: &'a [u8],
    /// Its cells, in the order of the table; at least one. Their keys contain the row as it is
    /// stored.
    pub cells: &'a [Cell],
    mark: Mark,
}

impl RowBatch {
    pub(super) fn new(mark: Mark, rows: usize) -> Self {
        let places = Vec::with_capacity(rows);
        Self { mark, text: Vec::new(), reads: Vec::new(), places, cell_count: 0 }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Checks whether the batch has no rows.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SaltedRow<'_>> {
        let mut start = 0;
        self.places.iter().map(move |place| {
            let row = self.text.get(start..place.text_end).unwrap_or_default();
            start = place.text_end;
            SaltedRow { row, cells: self.cells_of(place), mark: self.mark }
        })
    }

    /// Returns the number of cells of all rows together.
    pub fn cell_count(&self) -> usize {
        self.cell_count
    }

    /// Returns the cells of all rows, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.places.iter().flat_map(|place| self.cells_of(place))
    }

    /// Returns the cursor from which a scan resumes after the last of these rows.
    ///
    /// [`SaltedRow::cursor`] is the cursor after any other row.
    pub fn cursor(&self) -> ScanCursor {
        let cells = self.places.last().map_or(&[][..], |place| self.cells_of(place));
        cursor(self.mark, cells.last())
    }

    fn cells_of(&self, place: &BatchRow) -> &[Cell] {
        let read = self.reads.get(place.read);
        read.and_then(|read| read.get(place.cells.clone())).unwrap_or_default()
    }

    pub(super) fn share(&mut self, read: Arc<Vec<Cell>>) -> usize {
        self.reads.push(read);
        self.reads.len() - 1
    }

    pub(super) fn add(&mut self, row: &[u8], read: usize, cells: Range<usize>) {
        self.text.extend_from_slice(row);
        self.cell_count += cells.len();
        self.places.push(BatchRow { text_end: self.text.len(), read, cells });
    }
}

impl fmt::Debug for RowBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

impl SaltedRow<'_> {
    /// Returns the row as it is stored: the user's row with its salt. If cells of several keys were
    /// merged, this is the key of the first cell.
    pub fn key(&self) -> &[u8] {
        self.cells.first().map_or(&[], |cell| cell.key.row.as_ref())
    }

    /// Returns the cursor from which a scan resumes after this row.
    pub fn cursor(&self) -> ScanCursor {
        cursor(self.mark, self.cells.first())
    }
}

fn cursor(mark: Mark, cell: Option<&Cell>) -> ScanCursor {
    let key = cell.map_or(&[][..], |cell| cell.key.row.as_ref());
    ScanCursor { mark, key: Bytes::copy_from_slice(key) }
}
