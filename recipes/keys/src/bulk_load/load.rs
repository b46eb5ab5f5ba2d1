//! The handle: [`BulkLoad`].

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::pin::pin;

use fluo_table::{Mutation, Table};
use futures_util::future::{Either, pending, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};

use super::input::{Input, Settings};
use super::report::{BulkLoadError, BulkLoadReport};
use super::write::{Written, write};
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::key_migration::KeyMigration;
use crate::number::count;

const MAX_MEMORY_BYTES: NonZeroUsize = NonZeroUsize::new(64_000_000).unwrap();
const BATCH_ROWS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// A bulk load: its options, and with [`load`](Self::load) the load itself.
///
/// The rows are [`Mutation`]s of rows as a user writes them. The load puts the key of the design in
/// place of each row.
///
/// Repeating a load that failed is safe if the design computes its salts: the rows that are written
/// are written again, or count as existing in an insert-only load. If the salts are drawn
/// ([`RandomSalt`](crate::RandomSalt)), a row that is written twice exists twice.
///
/// # Examples
///
/// ```
/// use fluo_keys::{BulkLoad, KeyDesign, Modulo};
/// use fluo_table::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
/// use futures_util::stream;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = MemoryTables::new();
/// tables.create_table("users", Versions::default()).await?;
/// let users = tables.open_table("users", Authorizations::none()).await?;
/// let design = KeyDesign::new(Modulo::default())?;
///
/// // Any stream of results will do, such as the lines of a file.
/// let rows = |names: &'static [&'static str]| {
///     let row = |name: &&'static str| Mutation::new(*name).put(Column::new("user", "name"), *name);
///     stream::iter(names.iter().map(row).map(Ok::<_, std::io::Error>))
/// };
/// let report = BulkLoad::new(&design).load(&*users, rows(&["ada", "bob"])).await?;
/// assert_eq!(report.written, 2);
///
/// // An insert-only load names the rows that exist, and does not write them.
/// let load = BulkLoad::new(&design).insert_only()?;
/// let report = load.load(&*users, rows(&["cy", "bob"])).await?;
/// assert_eq!((report.written, report.existing.count), (1, 1));
/// assert_eq!((report.existing.first[0].number, &*report.existing.first[0].row), (2, &b"bob"[..]));
/// # Ok(())
/// # }
/// ```
#[must_use = "a bulk load writes nothing until `load` is awaited"]
pub struct BulkLoad<'a> {
    settings: Settings,
    watch: Box<dyn FnMut(&BulkLoadReport) + Send + 'a>,
}

impl<'a> BulkLoad<'a> {
    /// Creates a load that writes rows under the keys of a design.
    pub fn new(design: &KeyDesign) -> Self {
        Self::for_migration(&KeyMigration::of_one(design))
    }

    /// Creates a load for a table whose rows move to another design. It writes rows under the keys
    /// of the newest design. If it is [insert-only](Self::insert_only), a row under one of its
    /// earlier keys counts as existing; the rows may be moved meanwhile.
    pub fn for_migration(migration: &KeyMigration) -> Self {
        let settings = Settings {
            epochs: migration.clone(),
            insert_only: false,
            max_memory_bytes: MAX_MEMORY_BYTES,
            batch_rows: BATCH_ROWS,
            concurrency: CONCURRENCY,
            named_rows: 10,
        };
        Self { settings, watch: Box::new(|_| ()) }
    }

    /// Writes only rows that do not exist: a row of which any column in its mutation has a value is
    /// not written, and counts as existing.
    ///
    /// # Errors
    ///
    /// Fails if the salts of the design are drawn, because a row then has many keys, and it cannot
    /// be checked whether it exists.
    pub fn insert_only(mut self) -> Result<Self, RecipeError> {
        let drawn = self.settings.epochs.designs().find(|design| design.draws_salts());
        if let Some(design) = drawn {
            return Err(RecipeError::settings(format!(
                "the salts of {} are drawn, so no row can be found: use a design that computes them",
                design.name()
            )));
        }
        self.settings.insert_only = true;
        Ok(self)
    }

    /// Sets about the number of bytes of memory for gathered rows, which are sorted by their keys
    /// before they are written. Default: 64,000,000. The more rows are sorted at once, the fewer
    /// tablets a write concerns. After the first row, nothing is written before half of these bytes
    /// are gathered or the input ends. The caller's task sorts them.
    pub fn max_memory_bytes(mut self, bytes: NonZeroUsize) -> Self {
        self.settings.max_memory_bytes = bytes;
        self
    }

    /// Sets the maximum number of rows in a write. A write also ends at one mebibyte. Default:
    /// 1,000.
    pub fn batch_rows(mut self, rows: NonZeroUsize) -> Self {
        self.settings.batch_rows = rows;
        self
    }

    /// Sets the number of concurrent writes. Default: 4, which keeps the table busy while rows are
    /// read.
    pub fn concurrency(mut self, writes: NonZeroUsize) -> Self {
        self.settings.concurrency = writes;
        self
    }

    /// Sets the number of rows that the report [names](super::ExistingRows) of each kind.
    /// Default: 10.
    pub fn named_rows(mut self, rows: usize) -> Self {
        self.settings.named_rows = rows;
        self
    }

    /// Sets a function that is called with the counts whenever they change. Default: none.
    pub fn on_progress(mut self, watch: impl FnMut(&BulkLoadReport) + Send + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// Writes the rows to a table, and returns their counts. All written rows are durable.
    ///
    /// The writes of this call run in the caller's task. If the future is dropped, the rows of the
    /// writes in progress may be written or not; the last counts that
    /// [`on_progress`](Self::on_progress) got contain them as unknown.
    ///
    /// # Errors
    ///
    /// The load stops at the first failure of the input, at a row without a key or one that the
    /// table [refuses](Table::check_mutation), or at the failure of a write. The error contains the
    /// numbers of the rows that failed, and the counts. Rows before a failure of the input or of a
    /// row are written.
    pub async fn load<E: Into<Box<dyn Error + Send + Sync>>>(
        self,
        table: &dyn Table,
        rows: impl Stream<Item = Result<Mutation, E>> + Send,
    ) -> Result<BulkLoadReport, BulkLoadError> {
        let mut number = 0;
        let numbered = rows.map(move |row| {
            number += 1;
            (number, row)
        });
        self.load_numbered(table, numbered).await
    }

    /// Writes rows as [`load`](Self::load) does. Each of them, and a failure of the input, has a
    /// number, such as that of its line, which replaces its number in the input in reports and
    /// errors. The numbers ascend.
    ///
    /// # Errors
    ///
    /// The same as [`load`](Self::load).
    pub async fn load_numbered<E: Into<Box<dyn Error + Send + Sync>>>(
        self,
        table: &dyn Table,
        rows: impl Stream<Item = (u64, Result<Mutation, E>)> + Send,
    ) -> Result<BulkLoadReport, BulkLoadError> {
        let Self { settings, mut watch } = self;
        let rows = pin!(rows.fuse());
        let mut input = Input::new(rows, table, &settings);
        let mut report = BulkLoadReport::default();
        let mut failure = None;
        let mut writes = FuturesUnordered::new();
        loop {
            let is_untried = report.written + report.existing.count + report.unsure.count == 0;
            let most_writes = if is_untried { 1 } else { settings.concurrency.get() };
            while failure.is_none()
                && writes.len() < most_writes
                && let Some(batch) = input.take_batch(writes.is_empty())
            {
                report.unknown += count(batch.len());
                writes.push(write(table, batch, settings.insert_only));
            }
            (report.read_bytes, report.repeated_keys) = (input.read_bytes, input.seen.repeated);
            watch(&report);
            let may_gather = failure.is_none() && !input.has_gathered();
            if !may_gather && writes.is_empty() {
                break;
            }
            // Each of the two waits forever if it has nothing to wait for.
            let ended = async {
                match writes.next().await {
                    Some(ended) => ended,
                    None => pending::<Written>().await,
                }
            };
            let gathered =
                async { if may_gather { input.gather().await } else { pending().await } };
            if let Either::Left((ended, _)) = select(pin!(ended), pin!(gathered)).await {
                report.unknown -= ended.rows;
                report.add(ended.counts, settings.named_rows);
                failure = failure.or(ended.failure);
            }
        }
        match failure.or(input.failure) {
            None => Ok(report),
            Some((rows, cause)) => Err(BulkLoadError { rows, cause, report: Box::new(report) }),
        }
    }
}

impl fmt::Debug for BulkLoad<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkLoad").field("settings", &self.settings).finish_non_exhaustive()
    }
}
