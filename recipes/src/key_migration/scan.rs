//! The request of a scan over all epochs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, ColumnSelector, Filter, Span, Table};
use futures::stream::{self, StreamExt};

use super::designs::KeyMigration;
use super::windowed_merge::{Reached, Windows};
use crate::error::RecipeError;
use crate::key_design::RowSelection;
use crate::salted_scan::{
    Mark, MergeSettings, PieceRows, SaltedRows, ScanCursor, Selection, UnknownKeys,
};

/// A scan of the user's rows over all epochs of a table, merged into one sequence.
///
/// While rows are moved, it yields the same rows as a [`SaltedScan`](crate::SaltedScan) of a table
/// with one design, by the same rules: no row is repeated or missed. Cells of a row that is being
/// moved may come from several keys; each cell contains its key.
#[derive(Clone)]
pub struct MigratingScan {
    epochs: KeyMigration,
    /// The pieces of each epoch, oldest first.
    pieces: Arc<[Vec<PieceRows>]>,
    mark: Mark,
    /// The part after the salt of the last row before the scan.
    after: Option<Bytes>,
    columns: Vec<ColumnSelector>,
    filter: Filter,
    settings: MergeSettings,
}

impl KeyMigration {
    /// Returns a scan of these rows over all epochs, in order.
    ///
    /// # Errors
    ///
    /// As [`spans`](Self::spans).
    pub fn scan(&self, rows: &RowSelection) -> Result<MigratingScan, RecipeError> {
        MigratingScan::new(self, rows)
    }
}

impl MigratingScan {
    fn new(epochs: &KeyMigration, rows: &RowSelection) -> Result<Self, RecipeError> {
        let rows_of = |span: &Span| {
            (
                span.start().row.clone(),
                span.end().map(|end| end.row.clone()),
            )
        };
        let spans = epochs.spans(rows)?;
        let pieces = spans
            .iter()
            .map(|of_one| of_one.iter().map(rows_of).collect());
        Ok(Self {
            epochs: epochs.clone(),
            pieces: pieces.collect(),
            mark: epochs.mark(rows),
            after: None,
            columns: Vec::new(),
            filter: Filter::None,
            settings: MergeSettings::default(),
        })
    }

    /// Adds a column. A scan without any added column reads all columns.
    #[must_use]
    pub fn column(mut self, column: ColumnSelector) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the maximum number of rows to yield. The default is no limit.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.settings.limit = Some(rows);
        self
    }

    /// Sets the maximum number of bytes of cells to hold, for all epochs together. The default is
    /// 64 MiB.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.settings.memory_bytes = bytes;
        self
    }

    /// Sets the maximum number of scans of the table that stay open between two reads. The default
    /// is 256.
    #[must_use]
    pub fn open_scans(mut self, scans: usize) -> Self {
        self.settings.open_scans = scans;
        self
    }

    /// Sets the number of pieces that are read at the same time. The default is 4, the minimum 1.
    #[must_use]
    pub fn concurrent_reads(mut self, reads: usize) -> Self {
        self.settings.concurrent_reads = reads.max(1);
        self
    }

    /// Sets the treatment of keys that none of the designs can have made. The default is
    /// [`UnknownKeys::Refuse`].
    #[must_use]
    pub fn foreign(mut self, foreign: UnknownKeys) -> Self {
        self.settings.foreign = foreign;
        self
    }

    /// Resumes the scan right after the row of a cursor. A limit counts from there.
    ///
    /// # Errors
    ///
    /// [`Cursor`](crate::RecipeErrorKind::Cursor) if the cursor was made with other epochs or for
    /// other rows.
    pub fn after(mut self, cursor: &ScanCursor) -> Result<Self, RecipeError> {
        let key = cursor.key_for(self.mark)?;
        let unsalted = self
            .epochs
            .unsalted(key)
            .ok_or_else(|| cursor.of_another())?;
        self.after = Some(Bytes::copy_from_slice(unsalted));
        Ok(self)
    }

    /// Runs the scan on a table.
    #[must_use]
    pub fn run(self, table: Arc<dyn Table>) -> SaltedRows {
        let skipped = Arc::new(AtomicU64::new(0));
        let selection = Selection {
            table,
            columns: self.columns,
            filter: self.filter,
        };
        let reached = self.after.map_or(Reached::Nothing, Reached::Through);
        let windows = Windows::new(
            self.epochs,
            (self.pieces, self.mark),
            selection,
            self.settings,
            reached,
            skipped.clone(),
        );
        let batches = stream::try_unfold(windows, |mut windows| async move {
            let batch = windows.next_batch().await?;
            Ok(batch.map(|batch| (batch, windows)))
        });
        SaltedRows::of(batches.boxed(), skipped)
    }
}

impl fmt::Debug for MigratingScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MigratingScan")
            .field("epochs", &self.epochs)
            .field("after", &self.after)
            .field("columns", &self.columns)
            .field("filter", &self.filter)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
