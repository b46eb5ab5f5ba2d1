//! The output of a salted scan: rows, in batches.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use fluo_table::{Bytes, Cell};

use super::cursor::{Mark, ScanCursor};

/// A batch of rows of a salted scan, in order.
///
/// Rows come in batches so that the cost of a step is paid once for many rows. No batch of a scan
/// is empty. A batch shares its cells with the reads that fetched them, and keeps each such read in
/// memory as a whole: a caller that keeps a few rows for a long time should copy them.
#[derive(Clone)]
pub struct RowBatch {
    mark: Mark,
    /// The user's rows, one after the other.
    rows: Vec<u8>,
    /// The reads that hold the cells. A row is a slice of one of them, because moving its cells
    /// would cost more than reading them.
    reads: Vec<Arc<Vec<Cell>>>,
    /// Cells of rows that no single read holds whole.
    own: Vec<Cell>,
    places: Vec<Place>,
    cell_count: usize,
    open: Open,
}

/// The position of a row in a batch.
#[derive(Clone, Copy)]
struct Place {
    /// End of the user's row in `rows`; it begins at the end of the row before it.
    row_end: usize,
    /// Index of the read that holds its cells, or [`OWN`] if the batch holds them itself.
    read: usize,
    cells: (usize, usize),
}

/// The index for cells that belong to the batch and to no read.
const OWN: usize = usize::MAX;

/// The start of the row that is being added cell by cell.
#[derive(Clone, Copy, Default)]
struct Open {
    row_bytes: usize,
    cells: usize,
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
    pub(super) fn new(mark: Mark) -> Self {
        Self {
            mark,
            rows: Vec::new(),
            reads: Vec::new(),
            own: Vec::new(),
            places: Vec::new(),
            cell_count: 0,
            open: Open::default(),
        }
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
            let row = self.rows.get(start..place.row_end);
            start = place.row_end;
            SaltedRow { row: row.unwrap_or_default(), cells: self.cells_at(place), mark: self.mark }
        })
    }

    /// Returns the number of cells of all rows together.
    pub fn cell_count(&self) -> usize {
        self.cell_count
    }

    /// Returns the cells of all rows, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.places.iter().flat_map(|place| self.cells_at(place))
    }

    /// Returns the cells of all rows, in order. The cells are copied; their bytes are shared.
    pub fn into_cells(self) -> Vec<Cell> {
        if self.reads.is_empty() {
            return self.own;
        }
        let mut cells = Vec::with_capacity(self.cell_count);
        for place in &self.places {
            cells.extend_from_slice(self.cells_at(place));
        }
        cells
    }

    /// Returns the cursor from which a scan resumes after the last of these rows.
    ///
    /// [`SaltedRow::cursor`] is the cursor after any other row.
    pub fn cursor(&self) -> ScanCursor {
        let last = self.places.last().and_then(|place| self.cells_at(place).last());
        let key = last.map(|cell| cell.key.row.as_ref());
        ScanCursor::new(self.mark, Bytes::copy_from_slice(key.unwrap_or_default()))
    }

    fn cells_at(&self, place: &Place) -> &[Cell] {
        let read = self.reads.get(place.read).map_or(&self.own, Arc::as_ref);
        read.get(place.cells.0..place.cells.1).unwrap_or_default()
    }

    pub(super) fn reserve(&mut self, rows: usize) {
        self.places.reserve(rows);
    }

    /// Keeps a reference to a read and returns its index in this batch.
    pub(super) fn share(&mut self, read: Arc<Vec<Cell>>) -> usize {
        self.reads.push(read);
        self.reads.len() - 1
    }

    pub(super) fn add_shared(&mut self, row: &[u8], read: usize, cells: Range<usize>) {
        self.rows.extend_from_slice(row);
        self.add_place(read, (cells.start, cells.end));
        self.open.row_bytes = self.rows.len();
    }

    fn add_place(&mut self, read: usize, cells: (usize, usize)) {
        self.cell_count += cells.1 - cells.0;
        self.places.push(Place { row_end: self.rows.len(), read, cells });
    }

    /// Returns the batch's own cells, to which the cells of the open row are appended.
    pub(super) fn open_cells(&mut self) -> &mut Vec<Cell> {
        &mut self.own
    }

    /// Returns the stored key of the open row, and the buffer to which the user's row is appended.
    pub(super) fn open_row(&mut self) -> Option<(&Bytes, &mut Vec<u8>)> {
        let first = self.own.get(self.open.cells)?;
        Some((&first.key.row, &mut self.rows))
    }

    /// Ends the open row.
    pub(super) fn end_row(&mut self) {
        self.add_place(OWN, (self.open.cells, self.own.len()));
        self.open = Open { row_bytes: self.rows.len(), cells: self.own.len() };
    }

    pub(super) fn add_row(&mut self, row: &[u8], cells: Vec<Cell>) {
        self.rows.extend_from_slice(row);
        self.own.extend(cells);
        self.end_row();
    }

    /// Removes the cells and the text of the open row.
    pub(super) fn drop_row(&mut self) {
        self.rows.truncate(self.open.row_bytes);
        self.own.truncate(self.open.cells);
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
        ScanCursor::new(self.mark, Bytes::copy_from_slice(self.key()))
    }
}
