//! The data port.

use std::fmt::Debug;
use std::future::Future;
use std::num::NonZeroUsize;

use async_trait::async_trait;
use futures::stream::{BoxStream, TryStreamExt};

use crate::data::{Bytes, Cell, Column, Span};
use crate::error::Result;
use crate::table::{ConditionalMutation, Mutation, Outcome, Scan};

/// What a scan yields: batches of cells, so that the cost of a step is paid once for many cells.
///
/// No batch is empty. After an error the stream ends. Dropping the stream ends the scan.
pub type CellBatches = BoxStream<'static, Result<Vec<Cell>>>;

/// A big sorted table, as one reader and writer with one set of authorizations sees it.
///
/// # Contract
/// Reading:
/// - **T1, order.** Cells come in the order of [`Key`](crate::Key), also those of several spans. A cell that
///   lies in several spans of one scan comes once.
/// - **T2, view.** A scan yields what [`View`](crate::table::View) lets through, and nothing else: versions,
///   deletes, visibility, columns and filter mean the same on every table.
/// - **T3, freshness.** A scan sees every mutation that was acknowledged before [`scan`](Table::scan) was
///   called. Of those written while it runs it may see any. A row that is scanned alone, and whose cells fit in
///   one batch, is seen with all of a mutation or with nothing of it; among other rows it may lie across two of
///   the pieces in which a table reads, and be seen half changed.
///
/// Writing:
/// - **T4, row atomicity.** A mutation takes effect whole or not at all.
/// - **T5, durability.** What was acknowledged survives a crash of the process at the next instant.
/// - **T6, order of updates.** The updates of a mutation take effect in their order, and so do the mutations
///   of one row in one call: of two puts to one column and timestamp the later is shown (where all versions
///   are shown, the earlier may follow it). A delete hides the puts of its own timestamp, whichever came first;
///   so a put right after a delete, both at the time of the table, may stay hidden.
/// - **T7, timestamps.** A given timestamp is kept, whatever its sign. An update without one gets the time of
///   the table, in milliseconds, which never goes back within a row, from call to call either.
/// - **T8, bounds.** A wrong request (a mutation without updates, a conditional mutation without conditions that is not
///   written together with others (T16), an expression that is not a visibility, more
///   [bytes](crate::table::Mutation::size_bytes) than the table takes) is
///   [`Invalid`](crate::ErrorKind::Invalid), and nothing of the call was done. Every table takes a row of 1 KiB
///   with a value of 64 KiB.
///
/// - **T12, cancellation.** A call whose future is dropped may have taken effect, may yet, or never will: as after
///   [`Uncertain`](crate::ErrorKind::Uncertain). What does take effect keeps T4, T6, T9 and T16.
///
/// Conditional writing:
/// - **T9, atomicity.** The conditions of a mutation are checked and its updates applied as one step;
///   nothing else is written to the row between the two.
/// - **T10, condition.** A condition looks at what a scan of its column by this handle would yield first (or
///   at its timestamp, if it has one): [`Absent`](crate::table::Expected::Absent) holds if that is nothing, a
///   value holds if it is that value, byte by byte. A table may refuse to look at the oldest timestamp there is
///   (`i64::MIN`) as `Invalid`. A column that the handle may not see could be neither told
///   from an absent one nor compared: a condition on it is `Invalid`. For filters see T14.
/// - **T11, outcomes.** There is one outcome for each mutation, in their order. `Accepted`, `Rejected` and
///   `Refused` are final. `Unknown` says that nobody can tell: read before deciding. A call without mutations has none.
///
/// Filters of transactions, on a table that shows all versions and on which nothing was deleted:
/// - **T13, functions.** What such a [`Filter`](crate::table::Filter) shows of a column depends on the entries of that
///   column alone, and is what its function in [`layout`](crate::layout) says, entry by entry. An entry that none of
///   ours can be is shown, or ends the scan with an error. A notification whose
///   hash [has no absolute value](crate::layout::Share::owns) may be shown to no share.
/// - **T14, conditions.** A condition may look at its column through a filter of transactions: what a scan of the column
///   through it yields first counts. One at a timestamp, on a family that the filter does not
///   [look at](crate::table::Filter::looks_at_family), or through a filter that is not of columns is `Invalid`.
/// - **T15, resuming.** V5 holds for filters of transactions too: a scan that begins in the middle of a column
///   shows what the whole scan would have shown there.
///
/// Writing rows together, on a table that [can](Table::together):
/// - **T16, one step.** A call has one outcome, which is of all its mutations; T4, T8 to T10, T12 and T14 hold as for
///   other conditional mutations. All conditions of a call are checked, and all its mutations applied if they
///   hold, as one step: nothing else is written to any of the rows between, and a crash leaves all of the
///   mutations or none. A scan that begins after one of them was seen sees them all.
#[async_trait]
pub trait Table: Debug + Send + Sync {
    /// Reads cells.
    ///
    /// # Errors
    /// In the stream, at most one, as its last item. What was yielded before it stands;
    /// [`Scan::after`] resumes.
    fn scan(&self, scan: Scan) -> CellBatches;

    /// Writes mutations; returns when all of them are durable.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid), [`NotFound`](crate::ErrorKind::NotFound),
    /// [`Storage`](crate::ErrorKind::Storage), [`Unavailable`](crate::ErrorKind::Unavailable): nothing was
    /// written. [`Uncertain`](crate::ErrorKind::Uncertain): some of the mutations may have been, or may yet be.
    async fn write(&self, mutations: Vec<Mutation>) -> Result<()>;

    /// Writes each mutation if its conditions hold, and says for each what became of it; returns when all
    /// accepted ones are durable.
    ///
    /// # Errors
    /// An error says that nothing of the call was written. Whatever may have been written is an
    /// [`Outcome::Unknown`] of its own.
    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>>;

    /// The same table for rows that are written together (T16), if it can do that; the answer is the same for the life
    /// of the handle. A table of many servers cannot: a row is atomic there, and nothing more. Where it can, a commit
    /// takes two calls, however many rows it writes.
    ///
    /// One that wraps another table answers with itself if that one can, never with the inner one: calls would pass it
    /// by. Without an answer of its own it writes row by row.
    fn together(&self) -> Option<&dyn WriteTogether> {
        None
    }
}

/// A [`Table`] that can write several rows as one step.
#[async_trait]
pub trait WriteTogether: Send + Sync {
    /// Writes all of the mutations if the conditions of all of them hold, and nothing otherwise (T16); returns when
    /// they are durable. At least one of them has a condition; the others need none.
    ///
    /// There is one outcome for all of them.
    ///
    /// # Errors
    /// An error says that nothing of the call was written.
    async fn write_together(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome>;
}

/// Conveniences over any [`Table`], made of its methods.
pub trait TableExt: Table {
    /// Reads a whole scan into memory: for results that are known to be small.
    ///
    /// # Errors
    /// As [`Table::scan`].
    fn read(&self, scan: Scan) -> impl Future<Output = Result<Vec<Cell>>> + Send {
        self.scan(scan).try_concat()
    }

    /// The newest visible value of a cell.
    ///
    /// # Errors
    /// As [`Table::scan`].
    fn get(
        &self,
        row: impl Into<Bytes>,
        column: &Column,
    ) -> impl Future<Output = Result<Option<Bytes>>> + Send {
        // One cell a batch, and one batch: a column may have many versions.
        let scan = Scan::over(Span::cell(row, column)).batch_cells(NonZeroUsize::MIN);
        let mut batches = self.scan(scan);
        async move {
            let newest = batches
                .try_next()
                .await?
                .and_then(|cells| cells.into_iter().next());
            Ok(newest.map(|cell| cell.value))
        }
    }
}

impl<T: Table + ?Sized> TableExt for T {}
