//! What a salted scan yields: rows, many at a time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use fluo_core::{Bytes, Cell};

use super::cursor::{Mark, ScanCursor};

/// Rows of a salted scan, in order: many at a time, so that the cost of a step is paid once for many rows.
///
/// No batch of a scan is empty. A batch shares its cells with the reads that brought them, and keeps those in memory as
/// a whole: a caller who keeps a few rows for long copies what it keeps.
///
/// # Examples
///
/// ```
/// # use fluo_core::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
/// # use fluo_recipes::{KeyDesign, Modulo, Rows, SaltedScan};
/// # use futures::TryStreamExt;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tables = MemoryTables::new();
/// # tables.create_table("events", Versions::default()).await?;
/// # let table = tables.open_table("events", Authorizations::none()).await?;
/// # let design = KeyDesign::new(Modulo::default())?;
/// for row in ["b", "a", "c"] {
///     table.write(vec![Mutation::new(design.add(row.as_bytes())?).put(Column::new("f", "q"), "v")]).await?;
/// }
/// let mut batches = SaltedScan::new(&design, &Rows::All)?.run(table);
/// while let Some(batch) = batches.try_next().await? {
///     let rows: Vec<&[u8]> = batch.rows().map(|row| row.row).collect();
///     assert_eq!(rows, [b"a", b"b", b"c"]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RowBatch {
    mark: Mark,
    /// The user's rows, one after the other.
    rows: Vec<u8>,
    /// What was read of the table. A row is a part of one of them: to move its cells would cost more than to read
    /// them.
    reads: Vec<Arc<Vec<Cell>>>,
    /// Cells of rows that no read holds whole.
    own: Vec<Cell>,
    places: Vec<Place>,
    cell_count: usize,
    open: Open,
}

/// Where a row of a batch is.
#[derive(Clone, Copy)]
struct Place {
    /// Where the user's row ends; it begins where the one before it ends.
    row_end: usize,
    /// Which of the reads holds its cells; if none, they are the batch's own.
    read: usize,
    cells: (usize, usize),
}

/// Of no read.
const OWN: usize = usize::MAX;

/// Where the row begins that is being added cell by cell.
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
    /// Its cells, in the order of the table; at least one. Their keys hold the row as it is stored.
    pub cells: &'a [Cell],
    mark: Mark,
}

impl RowBatch {
    pub(crate) fn new(mark: Mark) -> Self {
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

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SaltedRow<'_>> {
        let mut start = 0;
        self.places.iter().map(move |place| {
            let row = self.rows.get(start..place.row_end);
            start = place.row_end;
            SaltedRow {
                row: row.unwrap_or_default(),
                cells: self.cells_at(place),
                mark: self.mark,
            }
        })
    }

    /// How many cells all rows have together.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.cell_count
    }

    /// The cells of all rows, in order.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.places.iter().flat_map(|place| self.cells_at(place))
    }

    /// The cells of all rows, in order. They are copied; what they hold is shared.
    #[must_use]
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

    /// Where a scan goes on after the last of these rows.
    ///
    /// After any other row it is [`SaltedRow::cursor`].
    #[must_use]
    pub fn cursor(&self) -> ScanCursor {
        let last = self
            .places
            .last()
            .and_then(|place| self.cells_at(place).last());
        let key = last.map(|cell| cell.key.row.as_ref());
        ScanCursor::new(self.mark, Bytes::copy_from_slice(key.unwrap_or_default()))
    }

    fn cells_at(&self, place: &Place) -> &[Cell] {
        let read = self.reads.get(place.read).map_or(&self.own, Arc::as_ref);
        read.get(place.cells.0..place.cells.1).unwrap_or_default()
    }

    /// Makes room for rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.places.reserve(rows);
    }

    /// Takes a share in what was read; returns its number in this batch.
    pub(super) fn share(&mut self, read: Arc<Vec<Cell>>) -> usize {
        self.reads.push(read);
        self.reads.len() - 1
    }

    /// Adds a row that a read holds.
    pub(super) fn add_shared(&mut self, row: &[u8], read: usize, cells: Range<usize>) {
        self.rows.extend_from_slice(row);
        self.add_place(read, (cells.start, cells.end));
        self.open.row_bytes = self.rows.len();
    }

    fn add_place(&mut self, read: usize, cells: (usize, usize)) {
        self.cell_count += cells.1 - cells.0;
        self.places.push(Place {
            row_end: self.rows.len(),
            read,
            cells,
        });
    }

    /// The batch's own cells, to which those of the open row are added.
    pub(super) fn open_cells(&mut self) -> &mut Vec<Cell> {
        &mut self.own
    }

    /// The open row: the key under which it is stored, and where the user's row is to be appended.
    pub(super) fn open_row(&mut self) -> Option<(&Bytes, &mut Vec<u8>)> {
        let first = self.own.get(self.open.cells)?;
        Some((&first.key.row, &mut self.rows))
    }

    /// Ends the open row.
    pub(super) fn end_row(&mut self) {
        self.add_place(OWN, (self.open.cells, self.own.len()));
        self.open = Open {
            row_bytes: self.rows.len(),
            cells: self.own.len(),
        };
    }

    /// Adds a row with its cells, of which there is at least one.
    pub(crate) fn add_row(&mut self, row: &[u8], cells: Vec<Cell>) {
        self.rows.extend_from_slice(row);
        self.own.extend(cells);
        self.end_row();
    }

    /// Takes back what was added of the open row.
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
    /// The row as it is stored: the user's row with its salt. Where cells of several places were merged, that of the
    /// first cell.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.cells.first().map_or(&[], |cell| cell.key.row.as_ref())
    }

    /// Where a scan goes on after this row.
    #[must_use]
    pub fn cursor(&self) -> ScanCursor {
        ScanCursor::new(self.mark, Bytes::copy_from_slice(self.key()))
    }
}
