//! What a salted scan yields: rows, many at a time.

use fluo_core::{Bytes, Cell};

use super::cursor::{Mark, ScanCursor};

/// Rows of a salted scan, in order: many at a time, so that the cost of a step is paid once for many rows.
///
/// No batch of a scan is empty.
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
#[derive(Clone, Debug)]
pub struct RowBatch {
    mark: Mark,
    /// The user's rows, one after the other.
    rows: Vec<u8>,
    cells: Vec<Cell>,
    ends: Vec<RowEnd>,
    /// Where the row that is being added began.
    open: RowEnd,
}

/// Where a row of a batch ends.
#[derive(Clone, Copy, Debug, Default)]
struct RowEnd {
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
            cells: Vec::new(),
            ends: Vec::new(),
            open: RowEnd::default(),
        }
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SaltedRow<'_>> {
        let mut start = RowEnd::default();
        self.ends.iter().map(move |&end| {
            let (rows, cells) = (start.row_bytes..end.row_bytes, start.cells..end.cells);
            start = end;
            SaltedRow {
                row: self.rows.get(rows).unwrap_or_default(),
                cells: self.cells.get(cells).unwrap_or_default(),
                mark: self.mark,
            }
        })
    }

    /// The cells of all rows, in order.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cells of all rows, in order.
    #[must_use]
    pub fn into_cells(self) -> Vec<Cell> {
        self.cells
    }

    /// Where a scan goes on after the last of these rows.
    ///
    /// After any other row it is [`SaltedRow::cursor`].
    #[must_use]
    pub fn cursor(&self) -> ScanCursor {
        let last = self.cells.last().map(|cell| cell.key.row.as_ref());
        ScanCursor::new(self.mark, Bytes::copy_from_slice(last.unwrap_or_default()))
    }

    /// Makes room for rows of one cell.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.cells.reserve(rows);
        self.ends.reserve(rows);
    }

    /// The cells so far, to which those of the open row are added.
    pub(crate) fn open_cells(&mut self) -> &mut Vec<Cell> {
        &mut self.cells
    }

    /// The open row: the key under which it is stored, and where the user's row is to be appended.
    pub(crate) fn open_row(&mut self) -> Option<(&Bytes, &mut Vec<u8>)> {
        let first = self.cells.get(self.open.cells)?;
        Some((&first.key.row, &mut self.rows))
    }

    /// Ends the open row.
    pub(crate) fn end_row(&mut self) {
        self.open = RowEnd {
            row_bytes: self.rows.len(),
            cells: self.cells.len(),
        };
        self.ends.push(self.open);
    }

    /// Adds a row with its cells, of which there is at least one.
    pub(crate) fn add_row(&mut self, row: &[u8], cells: Vec<Cell>) {
        self.rows.extend_from_slice(row);
        self.cells.extend(cells);
        self.end_row();
    }

    /// Takes back what was added of the open row.
    pub(crate) fn drop_row(&mut self) {
        self.rows.truncate(self.open.row_bytes);
        self.cells.truncate(self.open.cells);
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
