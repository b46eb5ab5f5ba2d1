//! The handle of a scan, and the stream of its rows.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use fluo_table::{Bytes, ColumnSelector, Filter, Span, Table};
use futures_util::stream::{self, BoxStream, Stream, StreamExt};

use super::batch::RowBatch;
use super::memory::Memory;
use super::merge::{FIRST_CELLS, first_of_limit};
use super::scan::{Position, SaltedScan, ScanRun, UnknownKeys};
use super::windowed_merge::Windows;
use crate::cursor::{Mark, ScanCursor};
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowRange, RowSelection};
use crate::key_migration::KeyMigration;

/// The plan of a salted scan: the ranges that it will read, and the sizes of its reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanPlan {
    /// The pieces of the table, one for each salt that can hold a row, in the order of the table.
    pub spans: Vec<Span>,
    /// The number of cells that the first read of each piece requests.
    pub first_cells: usize,
    /// The maximum number of cells that a later read requests, for cells of an assumed size. A
    /// running scan adapts the number to the cells that it finds.
    pub max_cells: usize,
    /// `true` if the scan of a piece stays open between two reads. If not, each read is a short
    /// scan of its own.
    pub stays_open: bool,
}

impl KeyMigration {
    /// Returns a scan of these rows over all epochs, in order.
    ///
    /// While rows are moved, it yields the same rows as a scan of a table with one design, by the
    /// same rules: no row is repeated or missed. Cells of a row that is being moved may come from
    /// several keys; each cell contains its key.
    ///
    /// # Errors
    ///
    /// As [`spans`](Self::spans).
    pub fn scan(&self, rows: &RowSelection) -> Result<SaltedScan, RecipeError> {
        let spans = self.spans(rows)?;
        let piece = |span: &Span| RowRange {
            start: span.start().row.clone(),
            end: span.end().map(|end| end.row.clone()),
        };
        let pieces = spans.iter().map(|of_one| of_one.iter().map(piece).collect());
        Ok(SaltedScan {
            pieces: pieces.collect(),
            mark: Mark::of(&self.designs, rows),
            epochs: self.clone(),
            after: None,
            columns: Vec::new(),
            filter: Filter::None,
            limit: None,
            memory_bytes: 64 << 20,
            open_scans: 256,
            concurrent_reads: 4,
            foreign: UnknownKeys::default(),
        })
    }
}

impl SaltedScan {
    /// Creates a scan of these rows, with all columns and no limit.
    ///
    /// # Errors
    ///
    /// As [`KeyDesign::spans`], for rows that the design scatters.
    pub fn new(design: &KeyDesign, rows: &RowSelection) -> Result<Self, RecipeError> {
        KeyMigration::of_one(design).scan(rows)
    }

    /// Adds a column. A scan without any added column reads all columns.
    pub fn column(mut self, column: ColumnSelector) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the filter.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the maximum number of rows to yield. The default is no limit.
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Sets the maximum number of bytes of cells that wait to be merged, for all pieces together.
    /// The default is 64 MiB.
    ///
    /// A scan of several designs, during a migration, merges one design at a time with half of the
    /// memory. The other half holds rows of the older designs.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Sets the maximum number of scans of the table that stay open between two reads. The default
    /// is 256.
    ///
    /// A scan of more pieces reads each piece by short scans, one for each read.
    pub fn open_scans(mut self, scans: usize) -> Self {
        self.open_scans = scans;
        self
    }

    /// Sets the number of pieces that are read at the same time. The default is 4, the minimum 1.
    ///
    /// Larger values help if the table answers with high latency.
    pub fn concurrent_reads(mut self, reads: usize) -> Self {
        self.concurrent_reads = reads.max(1);
        self
    }

    /// Sets the treatment of keys that no design of the scan can have made. The default is
    /// [`UnknownKeys::Refuse`].
    pub fn foreign(mut self, foreign: UnknownKeys) -> Self {
        self.foreign = foreign;
        self
    }

    /// Resumes the scan right after the row of a cursor. A limit counts from there.
    ///
    /// # Errors
    ///
    /// [`Cursor`](crate::RecipeErrorKind::Cursor) if the cursor was made with another design or for
    /// other rows.
    pub fn after(mut self, cursor: &ScanCursor) -> Result<Self, RecipeError> {
        self.after = self.position_of(&cursor.key).filter(|_| cursor.mark == self.mark);
        if self.after.is_none() {
            return Err(RecipeError::cursor(format!(
                "the cursor `{cursor}` belongs to a scan of other rows or of another design"
            )));
        }
        Ok(self)
    }

    /// Returns the position after a stored key, or `None` if the scan has no such key.
    fn position_of(&self, key: &Bytes) -> Option<Position> {
        let Self { epochs, pieces, .. } = self;
        if !pieces.iter().flatten().any(|piece| piece.contains(key)) {
            return None;
        }
        let epoch = match &*epochs.designs {
            [_] => 0,
            _ => epochs.decode_key_to(key, &mut Vec::new()).ok()?,
        };
        let head_len = epochs.head_len(epoch);
        let unsalted = key.get(head_len..).map(Bytes::copy_from_slice)?;
        let salt = (epochs.designs.len() == 1).then(|| key.slice(..head_len));
        Some(Position { unsalted, salt })
    }

    /// Returns the plan of the scan. Reads nothing.
    pub fn explain(&self) -> ScanPlan {
        let epochs = 0..self.pieces.len();
        let left: Vec<_> =
            epochs.map(|epoch| self.pieces_of(epoch, self.after.as_ref(), None)).collect();
        // One epoch is read at a time.
        let merged = left.iter().map(Vec::len).max().unwrap_or_default();
        let mut pieces = left.concat();
        pieces.sort_unstable();
        pieces.dedup();
        let max_cells = Memory::new(self.merge_bytes()).share(merged);
        let stays_open = merged <= self.open_scans;
        let first = match self.limit {
            Some(rows) => first_of_limit(rows, merged),
            None if stays_open => max_cells,
            None => FIRST_CELLS,
        };
        ScanPlan {
            spans: pieces.into_iter().map(|piece| Span::rows(piece.start, piece.end)).collect(),
            first_cells: first.min(max_cells),
            max_cells,
            stays_open,
        }
    }

    /// Runs the scan on a table.
    pub fn run(self, table: Arc<dyn Table>) -> SaltedRows {
        let skipped = Arc::default();
        let run = ScanRun { scan: Arc::new(self), table, skipped: Arc::clone(&skipped) };
        let batches = stream::try_unfold(Windows::new(run), |mut windows| async move {
            let batch = windows.next_batch().await?;
            Ok(batch.map(|batch| (batch, windows)))
        });
        SaltedRows { batches: batches.boxed(), skipped }
    }
}

/// A stream of the rows of a salted scan, in order, in batches.
///
/// It reads only while it is polled. It ends after an error; dropping it ends the scan.
pub struct SaltedRows {
    batches: BoxStream<'static, Result<RowBatch, RecipeError>>,
    skipped: Arc<AtomicU64>,
}

impl SaltedRows {
    /// Returns the number of rows skipped so far because the design cannot have made them, if such
    /// rows [are skipped](crate::UnknownKeys::Skip).
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }
}

impl Stream for SaltedRows {
    type Item = Result<RowBatch, RecipeError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next_unpin(context)
    }
}

impl fmt::Debug for SaltedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaltedRows").field("skipped", &self.skipped()).finish_non_exhaustive()
    }
}
