//! The data port: [`Table`], and the [`Outcome`] of its conditional writes.

use std::fmt::Debug;
use std::num::NonZeroUsize;

use async_trait::async_trait;
use futures_util::stream::{BoxStream, TryStreamExt};

use crate::coordination::PendingCommit;
use crate::data::{Bytes, Cell, Column, Span};
use crate::error::{Error, Result};
use crate::table::{ConditionalMutation, Mutation, Scan};

/// A stream of a scan's cells, in batches, so that the cost of a step is shared by many cells.
///
/// No batch is empty. The stream ends after an error. Dropping the stream ends the scan.
pub type CellBatches = BoxStream<'static, Result<Vec<Cell>>>;

/// A big sorted table, as seen by one handle with one set of authorizations.
///
/// # Contract
///
/// Reading:
/// - **T1, order.** Cells come in the order of [`Key`](crate::Key), also across several spans. A
///   cell that lies in several spans of one scan comes once.
/// - **T2, view.** A scan yields exactly the cells that [`EntryFilter`](crate::table::EntryFilter)
///   shows: versions, deletes, visibility, columns and filters mean the same on every table.
/// - **T3, freshness.** A scan sees every mutation that was acknowledged before
///   [`scan`](Table::scan) was called. It may see any of the mutations that are written while it
///   runs. If a row is scanned alone and its cells fit in one batch, the scan sees all of a
///   mutation of the row or none of it. A row that is scanned together with others may be split
///   between two reads of the table, so the scan may see part of a mutation.
///
/// Writing:
/// - **T4, row atomicity.** A mutation takes effect as a whole or not at all.
/// - **T5, durability.** Acknowledged mutations survive a crash of the process at the next instant.
/// - **T6, order of updates.** The updates of a mutation take effect in their order, and so do the
///   mutations of one row in one call: of two puts to one column and timestamp the later one is
///   shown (if all versions are shown, the earlier one may follow it). A delete hides the puts of
///   its own timestamp, whether they come before or after it. So a put right after a delete, both
///   at the time of the table, may stay hidden.
/// - **T7, timestamps.** A given timestamp is kept, whatever its sign. An update without one gets
///   the time of the table in milliseconds. Within a row this time never goes back, not even
///   between calls. While a clock is behind, it advances by one with each call.
/// - **T8, bounds.** A wrong request is [`Invalid`](crate::ErrorKind::Invalid), and nothing of the
///   call is done. A request is wrong if it has a mutation without updates, a conditional mutation
///   without conditions that is not written together with others (T16), an expression that is not
///   a visibility, or more [bytes](crate::table::Mutation::size_bytes) than the table takes. Every
///   table takes a row of 1 KiB with a value of 64 KiB.
///
/// - **T12, cancellation.** If the future of a call is dropped, the call may have taken effect, may
///   take effect later, or may never take effect, as after
///   [`Uncertain`](crate::ErrorKind::Uncertain). Any effect keeps T4, T6, T9 and T16.
///
/// Conditional writing:
/// - **T9, atomicity.** The conditions of a mutation are checked and its updates applied in one
///   step; no other write to the row happens between the two.
/// - **T10, condition.** A condition is checked against the first cell that a scan of its column by
///   this handle would yield (or the cell at its timestamp, if it has one). Without an expected
///   value it holds if there is no such cell. With one it holds if the cell has this value, byte by
///   byte. A table may reject a condition at the lowest timestamp (`i64::MIN`) as `Invalid`. A
///   handle cannot tell a column that it may not see from an absent one, nor compare its value: a
///   condition on such a column is `Invalid`. T14 covers conditions with filters.
/// - **T11, outcomes.** A call returns one outcome for each mutation, in their order. `Accepted`,
///   `Rejected` and `ConstraintViolation` are final. `Unknown` means that it cannot be determined
///   whether the mutation was applied: read before you decide. A call without mutations returns no
///   outcomes.
///
/// Filters of transactions, on a table that shows all versions and has no deletes:
/// - **T13, functions.** The entries of a column that such a [`Filter`](crate::table::Filter) shows
///   depend on the entries of that column alone. They are those that its function in
///   [`layout`](crate::layout) shows, entry by entry. An entry that cannot be one of a transaction
///   is shown, or ends the scan with an error.
/// - **T14, conditions.** A condition may use a filter of transactions: it is then checked against
///   the first cell that a scan of the column with this filter yields. A condition with a filter is
///   `Invalid` if it has a timestamp, if the filter does not
///   [look at](crate::table::Filter::looks_at_family) the family of the column, or if the filter
///   does not work on columns.
/// - **T15, resuming.** V5 also holds for filters of transactions: a scan that begins in the middle
///   of a column shows the same cells there as a scan of the whole column.
///
/// Writing rows together, on a table that [supports it](Table::together):
/// - **T16, one step.** A call has one outcome, for all its mutations; T4, T8 to T10, T12 and T14
///   hold as for other conditional mutations. All conditions of the call are checked, and if they
///   hold all its mutations are applied, in one step: no other write to any of the rows happens in
///   between, and a crash leaves all of the mutations or none. A scan that begins after one of them
///   was seen sees all of them. The pending commit of a call (C18 of
///   [`Coordination`](crate::coordination::Coordination)) ends once every scan sees the mutations,
///   or once it is certain that none ever will, even if the caller is cancelled.
#[async_trait]
pub trait Table: Debug + Send + Sync {
    /// Returns the cells that `scan` asks for.
    ///
    /// # Errors
    ///
    /// The stream has at most one error, as its last item. The cells before it are valid;
    /// [`Scan::after`] resumes.
    fn scan(&self, scan: Scan) -> CellBatches;

    /// Checks the rules of [`Mutation::check`] and the limits of this table that a write checks
    /// before it begins, such as the length of a key (T8). Makes no call, so a server may still
    /// refuse the mutation.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid): a write of this mutation is refused.
    fn check_mutation(&self, mutation: &Mutation) -> Result<()>;

    /// Writes mutations; returns when all of them are durable.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid), [`NotFound`](crate::ErrorKind::NotFound),
    /// [`Storage`](crate::ErrorKind::Storage), [`Unavailable`](crate::ErrorKind::Unavailable):
    /// nothing was written. [`Uncertain`](crate::ErrorKind::Uncertain): some of the mutations may
    /// have been written, or may be written later.
    async fn write(&self, mutations: Vec<Mutation>) -> Result<()>;

    /// Writes each mutation if its conditions hold, and returns an outcome for each; returns when
    /// all accepted mutations are durable.
    ///
    /// # Errors
    ///
    /// An error means that nothing of the call was written. A mutation that may have been written
    /// has the outcome [`Outcome::Unknown`].
    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>>;

    /// Returns `true` if a call has a high fixed cost, like one to another process. A client then
    /// combines the reads of single cells of concurrent transactions.
    fn is_remote(&self) -> bool;

    /// Returns the same table with support for writing rows together (T16), or `None` if it cannot
    /// do that. The answer does not change during the life of the handle. A table of many servers
    /// cannot, because only a row is atomic there. With this support, and that of the coordination,
    /// a commit takes one call, however many rows it writes.
    ///
    /// A table that wraps another one returns itself if the inner one supports this, never the
    /// inner one, which would bypass the wrapper. A wrapper that does not implement this method
    /// writes row by row.
    fn together(&self) -> Option<&dyn MultiRowWrite> {
        None
    }
}

/// The outcome of a conditional mutation. `Rejected`, `ConstraintViolation` and `Unknown` are
/// expected cases, not errors of the call.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The conditions held, and the mutation is durable.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// A constraint of the table forbids the updates, whatever the conditions are. Nothing was
    /// written, and retrying does not help. The error describes the reason.
    ConstraintViolation(Error),
    /// It cannot be determined whether the mutation was or will be applied: an answer was lost, or
    /// the storage failed midway. The error describes the failure.
    Unknown(Error),
}

impl Outcome {
    /// Returns true if the mutation is known to be durable.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Returns true if the mutation is known not to have been applied.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Rejected | Self::ConstraintViolation(_))
    }
}

/// A [`Table`] that can write several rows in one step.
#[async_trait]
pub trait MultiRowWrite: Send + Sync {
    /// Writes all of the mutations if the conditions of all of them hold, and none otherwise (T16);
    /// returns when they are durable. At least one of the mutations has a condition. `commit` is
    /// the pending commit of which they are the writes.
    ///
    /// The outcome is that of all of them.
    ///
    /// # Errors
    ///
    /// An error means that nothing of the call was written.
    async fn write_atomically(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
    ) -> Result<Outcome>;
}

impl dyn Table + '_ {
    /// Reads a whole scan into memory. Use it for results that are known to be small. The scan
    /// starts when the future is first polled.
    ///
    /// # Errors
    ///
    /// The same as [`Table::scan`].
    pub async fn read(&self, scan: Scan) -> Result<Vec<Cell>> {
        self.scan(scan).try_concat().await
    }

    /// Returns the newest visible value of a cell, or `None` if there is none. The scan starts when
    /// the future is first polled.
    ///
    /// # Errors
    ///
    /// The same as [`Table::scan`].
    pub async fn get(&self, row: impl Into<Bytes>, column: &Column) -> Result<Option<Bytes>> {
        // One cell per batch and one batch: a column may have many versions.
        let scan = Scan::over(Span::cell(row, column)).batch_cells(NonZeroUsize::MIN);
        let newest = self.scan(scan).try_next().await?.and_then(|cells| cells.into_iter().next());
        Ok(newest.map(|cell| cell.value))
    }
}
