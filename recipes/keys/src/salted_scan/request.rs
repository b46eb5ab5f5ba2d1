//! A scan: its rows, its settings, its plan, and its run.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, ColumnSelector, Filter, Table, Versions};

use super::cursor::{Mark, ScanCursor};
use super::epochs::Epochs;
use super::fetch::Selection;
use super::merge::{is_in, piece_rows};
use super::plan::ScanPlan;
use super::settings::{MergeSettings, UnknownKeys};
use super::stream::SaltedRows;
use super::windowed_merge::{Extent, Reached, Windows};
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, KeyOrder, RowSelection};

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
/// assert_eq!(scan.explain().spans().len(), 10);
/// // `scan.run(table)` is a stream of the rows, and `scan.after(cursor)` resumes it.
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone)]
#[must_use = "a scan reads nothing until it runs"]
pub struct SaltedScan {
    extent: Extent,
    columns: Vec<ColumnSelector>,
    filter: Filter,
    settings: MergeSettings,
}

impl SaltedScan {
    /// Creates a scan of these rows, with all columns and no limit.
    ///
    /// # Errors
    ///
    /// As [`KeyDesign::spans`], for rows that the design scatters.
    pub fn new(design: &KeyDesign, rows: &RowSelection) -> Result<Self, RecipeError> {
        let epochs = Epochs { designs: [design.clone()].into(), versions: Versions::All };
        Self::over(epochs, rows)
    }

    /// Creates a scan of these rows over several designs.
    pub(crate) fn over(epochs: Epochs, rows: &RowSelection) -> Result<Self, RecipeError> {
        let spans = epochs.spans(rows)?;
        let pieces = spans.iter().map(|of_one| of_one.iter().map(piece_rows).collect());
        Ok(Self {
            extent: Extent {
                pieces: pieces.collect(),
                after: Reached::Nothing,
                mark: Mark::of(&epochs.designs, rows),
                epochs,
            },
            columns: Vec::new(),
            filter: Filter::None,
            settings: MergeSettings::default(),
        })
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
        self.settings.limit = Some(rows);
        self
    }

    /// Sets the maximum number of bytes of cells that wait to be merged, for all pieces together.
    /// The default is 64 MiB.
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
        let after = self.reached(cursor.key_for(self.extent.mark)?);
        self.extent.after = after.ok_or_else(|| cursor.of_another())?;
        Ok(self)
    }

    /// Returns the extent of a read up to a stored key, or `None` if the scan has no such key.
    fn reached(&self, key: &Bytes) -> Option<Reached> {
        let Extent { epochs, pieces, .. } = &self.extent;
        let is_read = pieces.iter().flatten().any(|piece| is_in(piece, key));
        match &*epochs.designs {
            _ if !is_read => None,
            [_] => Some(Reached::Key(key.clone())),
            _ => Some(Reached::Through(key.slice_ref(epochs.unsalted(key)?))),
        }
    }

    /// Returns the plan of the scan. Reads nothing.
    pub fn explain(&self) -> ScanPlan {
        let designs = &self.extent.epochs.designs;
        let names: Vec<_> = designs.iter().map(ToString::to_string).collect();
        // All designs have one order.
        let order = designs.first().map_or(KeyOrder::Rows, KeyDesign::order);
        let (pieces, merged, settings) = self.extent.planned(self.settings);
        ScanPlan::new(names.join(" or "), order, (pieces, merged), settings)
    }

    /// Runs the scan on a table.
    pub fn run(self, table: Arc<dyn Table>) -> SaltedRows {
        let selection = Selection { table, columns: self.columns, filter: self.filter };
        SaltedRows::new(|skipped| Windows::new(self.extent, selection, self.settings, skipped))
    }
}

impl fmt::Debug for SaltedScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaltedScan")
            .field("mark", &self.extent.mark)
            .field("after", &self.extent.after)
            .field("columns", &self.columns)
            .field("filter", &self.filter)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
