//! A scan: its rows, its settings, its plan, and its run.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, ColumnSelector, Filter, Table};

use super::cursor::{Mark, ScanCursor};
use super::fetch::Selection;
use super::one_design::OneDesign;
use super::plan::ScanPlan;
use super::settings::{MergeSettings, UnknownKeys};
use super::stream::SaltedRows;
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowSelection};

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
/// use fluo_table::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
/// use fluo_keys::{KeyDesign, Modulo, RowSelection, SaltedScan};
/// use futures_util::TryStreamExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = MemoryTables::new();
/// tables.create_table("events", Versions::default()).await?;
/// let table = tables.open_table("events", Authorizations::none()).await?;
/// let design = KeyDesign::new(Modulo::default())?;
/// for day in 1..=28 {
///     let key = design.encode_row(format!("2024-02-{day:02}").as_bytes())?;
///     table.write(vec![Mutation::new(key).put(Column::new("f", "q"), "v")]).await?;
/// }
///
/// let february = RowSelection::Prefix("2024-02-".into());
/// let scan = SaltedScan::new(&design, &february)?.limit(3);
/// assert_eq!(scan.explain().spans().len(), 10);
/// let first: Vec<_> = scan.clone().run(table.clone()).try_collect().await?;
/// let last = first[0].rows().last().ok_or("no rows")?;
/// assert_eq!(last.row, b"2024-02-03");
///
/// // Later, in another process: resume after the last row.
/// let cursor = last.cursor().to_string().parse()?;
/// let next: Vec<_> = scan.after(&cursor)?.run(table).try_collect().await?;
/// assert_eq!(next[0].rows().next().ok_or("no rows")?.row, b"2024-02-04");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SaltedScan {
    source: Arc<dyn ScanSource>,
    mark: Mark,
    /// The stored key after which the scan resumes.
    after: Option<Bytes>,
    columns: Vec<ColumnSelector>,
    filter: Filter,
    settings: MergeSettings,
}

/// The designs of a scan, and the pieces of the table that can contain its rows.
pub(crate) trait ScanSource: Send + Sync {
    /// Checks whether a scan can resume after a stored key.
    fn can_resume_after(&self, key: &Bytes) -> bool;

    /// Returns the plan of a scan after a stored key.
    fn plan(&self, after: Option<&Bytes>, settings: MergeSettings) -> ScanPlan;

    /// Scans the rows after a stored key.
    fn run(
        &self,
        after: Option<&Bytes>,
        selection: Selection,
        settings: MergeSettings,
        mark: Mark,
    ) -> SaltedRows;
}

impl SaltedScan {
    /// Creates a scan of these rows, with all columns and no limit.
    ///
    /// # Errors
    ///
    /// As [`KeyDesign::spans`], for rows that the design scatters.
    pub fn new(design: &KeyDesign, rows: &RowSelection) -> Result<Self, RecipeError> {
        let mark = Mark::of(std::slice::from_ref(design), rows);
        Ok(Self::over(Arc::new(OneDesign::new(design, rows)?), mark))
    }

    pub(crate) fn over(source: Arc<dyn ScanSource>, mark: Mark) -> Self {
        Self {
            source,
            mark,
            after: None,
            columns: Vec::new(),
            filter: Filter::None,
            settings: MergeSettings::default(),
        }
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

    /// Sets the maximum number of bytes of cells that wait to be merged, for all pieces together.
    /// The default is 64 MiB.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.settings.memory_bytes = bytes;
        self
    }

    /// Sets the maximum number of scans of the table that stay open between two reads. The default
    /// is 256.
    ///
    /// A scan of more pieces reads each piece by short scans, one for each read.
    #[must_use]
    pub fn open_scans(mut self, scans: usize) -> Self {
        self.settings.open_scans = scans;
        self
    }

    /// Sets the number of pieces that are read at the same time. The default is 4, the minimum 1.
    ///
    /// Larger values help if the table answers with high latency.
    #[must_use]
    pub fn concurrent_reads(mut self, reads: usize) -> Self {
        self.settings.concurrent_reads = reads.max(1);
        self
    }

    /// Sets the treatment of keys that no design of the scan can have made. The default is
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
    /// [`Cursor`](crate::RecipeErrorKind::Cursor) if the cursor was made with another design or for
    /// other rows.
    pub fn after(mut self, cursor: &ScanCursor) -> Result<Self, RecipeError> {
        let key = cursor.key_for(self.mark)?;
        if !self.source.can_resume_after(key) {
            return Err(cursor.of_another());
        }
        self.after = Some(key.clone());
        Ok(self)
    }

    /// Returns the plan of the scan. Reads nothing.
    #[must_use]
    pub fn explain(&self) -> ScanPlan {
        self.source.plan(self.after.as_ref(), self.settings)
    }

    /// Runs the scan on a table.
    #[must_use]
    pub fn run(self, table: Arc<dyn Table>) -> SaltedRows {
        let selection = Selection {
            table,
            columns: self.columns,
            filter: self.filter,
        };
        let (after, settings) = (self.after.as_ref(), self.settings);
        self.source.run(after, selection, settings, self.mark)
    }
}

impl fmt::Debug for SaltedScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaltedScan")
            .field("mark", &self.mark)
            .field("after", &self.after)
            .field("columns", &self.columns)
            .field("filter", &self.filter)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
