//! Rollback of locks: the transaction's own, and those of other transactions that never commit.
//!
//! - **R5.** The entry that ends a lock is written only while that very lock is still stored. The
//!   entry hides every older lock of the cell. It may be collected while an older transaction is
//!   still alive, and that transaction may lock the cell afterwards. A second, late copy of the
//!   entry would hide that lock.
//! - **R6.** The same conditional write also requires that the transaction's status in this column
//!   is this lock. A lock stays stored under the entry that ended it, and a rollback beside a
//!   committed write would let a compaction drop the value.

use fluo_table::layout::EntryKind;
use fluo_table::planted::{self, PlantedBug};
use fluo_table::{
    Bytes, Condition, ConditionalMutation, Filter, Mutation, Outcome, Result, RowColumn, Timestamp,
};
use tracing::debug;

use crate::client::{Shared, is_passing};
use crate::transaction::commit::Commit;
use crate::transaction::encode_entries::{self, RolledBackBy, stamp};
use crate::transaction::foreign_lock::LockKind;

/// Returns the mutation that rolls back a lock other than a primary's; `value` is the value of the
/// lock.
pub(crate) fn roll_back_lock(
    cell: &RowColumn,
    start: Timestamp,
    kind: LockKind,
    value: Bytes,
) -> ConditionalMutation {
    let mutation = Mutation::new(cell.row.clone());
    let taken = encode_entries::roll_back(mutation, &cell.column, start, kind).when(is_stored(
        cell,
        start,
        kind,
        value.clone(),
    ));
    if planted::is(PlantedBug::EndedLockTakenAway) {
        return taken;
    }
    taken.and(match kind {
        LockKind::Read => is_absent(cell, kind.end(), start),
        LockKind::Write { .. } => is_held(cell, start, value),
    })
}

/// Returns the mutation that decides that a transaction is rolled back, unless it is already
/// decided; `lock` is the value of its primary's lock.
///
/// The conditions check the status and the lock itself, because a transactor that locks the same
/// primary again writes the same value at another timestamp. They also check the acknowledgement: a
/// server that compacted a part of the column may have dropped the end of a committed lock, and
/// then the acknowledgement is the only remaining trace of the commit.
pub(crate) fn decide(primary: &RowColumn, start: Timestamp, lock: Bytes) -> ConditionalMutation {
    let mutation = Mutation::new(primary.row.clone());
    let by = RolledBackBy::AnotherOne;
    encode_entries::roll_back_primary(mutation, &primary.column, start, by)
        .when(is_held(primary, start, lock.clone()))
        .and(is_stored(primary, start, PRIMARY, lock))
        .and(is_absent(primary, EntryKind::Ack, start))
}

/// The kind of a primary's lock. Only its entry kind matters here.
const PRIMARY: LockKind = LockKind::Write {
    is_write: true,
    is_delete: false,
    is_trigger: false,
};

fn is_stored(cell: &RowColumn, start: Timestamp, kind: LockKind, value: Bytes) -> Condition {
    Condition::value(cell.column.clone(), value).at(stamp(kind.entry(), start))
}

/// Returns the condition that the transaction holds this lock according to the column (R6).
fn is_held(cell: &RowColumn, start: Timestamp, value: Bytes) -> Condition {
    Condition::value(cell.column.clone(), value).through(Filter::TransactionStatus { start })
}

fn is_absent(cell: &RowColumn, kind: EntryKind, at: Timestamp) -> Condition {
    Condition::absent(cell.column.clone()).at(stamp(kind, at))
}

impl Shared {
    /// Rolls locks back until each of them has certainly ended, or until the time is up.
    pub(crate) async fn roll_back_locks_until_done(
        &self,
        mut mutations: Vec<ConditionalMutation>,
        start: Timestamp,
    ) -> Result<()> {
        let mut backoff = self.call_backoff(start);
        while !mutations.is_empty() {
            match self.roll_back_locks(&mut mutations).await {
                Err(error) if is_passing(error.kind()) && backoff.wait().await => {}
                done => return done,
            }
        }
        Ok(())
    }

    /// Rolls locks back in one call. Keeps the mutations of the locks that may still be there.
    pub(crate) async fn roll_back_locks(
        &self,
        mutations: &mut Vec<ConditionalMutation>,
    ) -> Result<()> {
        let outcomes = self.table.write_conditional(mutations.clone()).await?;
        let mut outcomes = outcomes.into_iter();
        let mut failed = None;
        // If a condition does not hold, the lock has ended.
        mutations.retain(|_| match outcomes.next() {
            Some(Outcome::Accepted | Outcome::Rejected) | None => false,
            Some(Outcome::ConstraintViolation(error) | Outcome::Unknown(error)) => {
                failed = Some(error);
                true
            }
        });
        failed.map_or(Ok(()), Err)
    }
}

impl Commit {
    /// Rolls back the locks that are certainly there. Then marks on the primary that no lock is
    /// left, unless one may be (P7).
    pub(crate) async fn roll_back(&self) {
        if let Err(error) = self.try_to_roll_back().await {
            debug!(%error, "the locks of a failed transaction are left to the transactions that meet them");
        }
    }

    async fn try_to_roll_back(&self) -> Result<()> {
        let (start, primary) = (self.plan.start, &self.plan.primary);
        let is_there = |row: &Bytes| *row == primary.row || self.locked.contains(row);
        let client = &self.reading.client;
        let others = match planted::is(PlantedBug::SecondaryLeft) {
            true => Vec::new(),
            false => self.others(is_there),
        };
        let others = client.roll_back_locks_until_done(others, start).await;
        // The primary is rolled back in any case, so that no other transaction waits for this one.
        let mutation = Mutation::new(primary.row.clone());
        let mutation = if self.is_certain() && others.is_ok() {
            let by = RolledBackBy::ItsOwner;
            let mutation = encode_entries::roll_back_primary(mutation, &primary.column, start, by);
            self.done(mutation, start)
        } else {
            let by = RolledBackBy::AnotherOne;
            encode_entries::roll_back_primary(mutation, &primary.column, start, by)
        };
        let lock = self.plan.primary_lock();
        let decisive = mutation.when(is_stored(primary, start, PRIMARY, lock));
        client
            .roll_back_locks_until_done(vec![decisive], start)
            .await?;
        others
    }

    /// Rolls back the locks in some rows, except that of a primary that was rolled back. The entry
    /// on the primary stays, because more locks may be left.
    pub(crate) async fn roll_back_others(&self, is_there: impl Fn(&Bytes) -> bool) {
        let others = self.others(is_there);
        // If this fails, the transactions that meet the locks roll them back.
        let taken = self
            .reading
            .client
            .roll_back_locks_until_done(others, self.plan.start);
        drop(taken.await);
    }

    /// Returns the mutations that roll back the locks in some rows, except the primary's.
    fn others(&self, is_there: impl Fn(&Bytes) -> bool) -> Vec<ConditionalMutation> {
        let others = self
            .plan
            .cells()
            .filter(|(cell, _)| *cell != self.plan.primary && is_there(&cell.row));
        others
            .map(|(cell, kind)| {
                roll_back_lock(&cell, self.plan.start, kind, self.plan.lock_value(kind))
            })
            .collect()
    }
}
