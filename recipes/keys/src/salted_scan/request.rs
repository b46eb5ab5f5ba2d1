//! The handle of a scan.

use std::sync::Arc;

use fluo_table::{Bytes, ColumnSelector, Filter, Span, Table};

use super::plan::ScanPlan;
use super::settings::{Position, ScanRun, ScanSettings, UnknownKeys};
use super::stream::SaltedRows;
use crate::cursor::{Mark, ScanCursor};
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowRange, RowSelection};
use crate::key_migration::KeyMigration;

/// A scan of the user's rows over all pieces of the table that can hold them, merged into one
/// sequence.
///
/// [`KeyMigration::scan`](crate::KeyMigration::scan) returns one over several designs.
///
/// Rows come in the [order](KeyDesign::order) of the design. With random salts, a row may be stored
/// several times; the scan yields it once for each copy, one after the other.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Modulo, RowSelection, SaltedScan};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// let scan = SaltedScan::new(&design, &RowSelection::Prefix("2024-02-".into()))?.limit(3);
/// assert_eq!(scan.explain().spans.len(), 10);
/// // `scan.run(table)` is a stream of the rows, and `scan.after(cursor)` resumes it.
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a scan reads nothing until it runs"]
pub struct SaltedScan {
    settings: ScanSettings,
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
        let settings = ScanSettings {
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
        };
        Ok(SaltedScan { settings })
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
        self.settings.columns.push(column);
        self
    }

    /// Sets the filter.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.settings.filter = filter;
        self
    }

    /// Sets the maximum number of rows to yield. The default is no limit.
    pub fn limit(mut self, rows: u64) -> Self {
        self.settings.limit = Some(rows);
        self
    }

    /// Sets the maximum number of bytes of cells that wait to be merged, for all pieces together.
    /// The default is 64 MiB.
    ///
    /// A scan of several designs, during a migration, merges one design at a time with half of the
    /// memory. The other half holds rows of the older designs.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.settings.memory_bytes = bytes;
        self
    }

    /// Sets the maximum number of scans of the table that stay open between two reads. The default
    /// is 256.
    ///
    /// A scan of more pieces reads each piece by short scans, one for each read.
    pub fn open_scans(mut self, scans: usize) -> Self {
        self.settings.open_scans = scans;
        self
    }

    /// Sets the number of pieces that are read at the same time. The default is 4, the minimum 1.
    ///
    /// Larger values help if the table answers with high latency.
    pub fn concurrent_reads(mut self, reads: usize) -> Self {
        self.settings.concurrent_reads = reads.max(1);
        self
    }

    /// Sets the treatment of keys that no design of the scan can have made. The default is
    /// [`UnknownKeys::Refuse`].
    pub fn foreign(mut self, foreign: UnknownKeys) -> Self {
        self.settings.foreign = foreign;
        self
    }

    /// Resumes the scan right after the row of a cursor. A limit counts from there.
    ///
    /// # Errors
    ///
    /// [`Cursor`](crate::RecipeErrorKind::Cursor) if the cursor was made with another design or for
    /// other rows.
    pub fn after(mut self, cursor: &ScanCursor) -> Result<Self, RecipeError> {
        let position = cursor.key_for(self.settings.mark).and_then(|key| self.position_of(key));
        self.settings.after = Some(position.ok_or_else(|| {
            RecipeError::cursor(format!(
                "the cursor `{cursor}` belongs to a scan of other rows or of another design"
            ))
        })?);
        Ok(self)
    }

    /// Returns the position after a stored key, or `None` if the scan has no such key.
    fn position_of(&self, key: &Bytes) -> Option<Position> {
        let ScanSettings { epochs, pieces, .. } = &self.settings;
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
        ScanPlan::new(&self.settings)
    }

    /// Runs the scan on a table.
    pub fn run(self, table: Arc<dyn Table>) -> SaltedRows {
        SaltedRows::new(ScanRun {
            settings: Arc::new(self.settings),
            table,
            skipped: Arc::default(),
        })
    }
}
