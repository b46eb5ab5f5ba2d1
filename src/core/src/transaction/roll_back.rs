//! Taking locks away: of one's own transaction, and of others that will never commit.
//!
//! - **R5.** What takes a lock away is written only where that very lock is still stored. The mark that it leaves hides
//!   every older lock of the cell. It may be collected while an older transaction lives, which locks the cell then: a
//!   mark that came once more, late, would hide that lock.
//! - **R6.** The same conditional write also requires that the transaction's status in this column is this lock. A
//!   lock stays stored under the entry that ended it, and a rollback beside a committed write would let a compaction drop
//!   the value.

use tracing::debug;

use crate::client::{Shared, is_passing};
use crate::data::{Bytes, RowColumn, Timestamp};
use crate::error::Result;
use crate::layout::EntryKind;
use crate::planted::{self, PlantedBug};
use crate::table::{Condition, ConditionalMutation, Filter, Mutation, Outcome};
use crate::transaction::commit::Commit;
use crate::transaction::entries::{self, RolledBackBy, stamp};
use crate::transaction::found_lock::LockKind;

/// Returns the mutation that takes away a lock that does not decide for others; `value` is the lock's own.
pub(crate) fn take_away(
    cell: &RowColumn,
    start: Timestamp,
    kind: LockKind,
    value: Bytes,
) -> ConditionalMutation {
    let mutation = Mutation::new(cell.row.clone());
    let taken = entries::roll_back(mutation, &cell.column, start, kind).when(is_stored(
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

/// Returns the mutation that decides that a transaction is rolled back, if nothing else is decided; `lock` is the value
/// of its primary's lock.
///
/// The conditions ask for the status and for the lock itself: a transactor that locks the same primary again writes the
/// very same value, at another timestamp. They also ask for the acknowledgement: a server that collected a part of the
/// column may have dropped the end of a committed lock, and the acknowledgement is what is left of the commit.
pub(crate) fn decide(primary: &RowColumn, start: Timestamp, lock: Bytes) -> ConditionalMutation {
    let mutation = Mutation::new(primary.row.clone());
    let by = RolledBackBy::AnotherOne;
    entries::roll_back_primary(mutation, &primary.column, start, by)
        .when(is_held(primary, start, lock.clone()))
        .and(is_stored(primary, start, PRIMARY, lock))
        .and(is_absent(primary, EntryKind::Ack, start))
}

/// The kind of a primary's lock, as far as it matters where it is stored.
const PRIMARY: LockKind = LockKind::Write {
    is_write: true,
    is_delete: false,
    is_trigger: false,
};

fn is_stored(cell: &RowColumn, start: Timestamp, kind: LockKind, value: Bytes) -> Condition {
    Condition::value(cell.column.clone(), value).at(stamp(kind.entry(), start))
}

/// The column says of the transaction that it holds this lock (R6).
fn is_held(cell: &RowColumn, start: Timestamp, value: Bytes) -> Condition {
    Condition::value(cell.column.clone(), value).through(Filter::TransactionStatus { start })
}

fn is_absent(cell: &RowColumn, kind: EntryKind, at: Timestamp) -> Condition {
    Condition::absent(cell.column.clone()).at(stamp(kind, at))
}

impl Shared {
    /// Takes locks away, until it is known of each that it is gone, or the time is up.
    pub(crate) async fn take_away_surely(
        &self,
        mut mutations: Vec<ConditionalMutation>,
        start: Timestamp,
    ) -> Result<()> {
        let mut backoff = self.backoff_of_calls(start);
        while !mutations.is_empty() {
            match self.take_away(&mut mutations).await {
                Err(error) if is_passing(error.kind()) && backoff.wait().await => {}
                done => return done,
            }
        }
        Ok(())
    }

    /// Takes locks away in one call. Keeps the mutations of the locks that may still be there.
    pub(crate) async fn take_away(&self, mutations: &mut Vec<ConditionalMutation>) -> Result<()> {
        let outcomes = self.table.write_conditional(mutations.clone()).await?;
        let mut outcomes = outcomes.into_iter();
        let mut failed = None;
        // A condition that does not hold says that the lock is gone.
        mutations.retain(|_| match outcomes.next() {
            Some(Outcome::Accepted | Outcome::Rejected) | None => false,
            Some(Outcome::Refused(error) | Outcome::Unknown(error)) => {
                failed = Some(error);
                true
            }
        });
        failed.map_or(Ok(()), Err)
    }
}

impl Commit {
    /// Takes away the locks that are known to be there; then says on the primary that none is left, unless one may
    /// be (P7).
    pub(crate) async fn roll_back(&self) {
        if let Err(error) = self.try_to_roll_back().await {
            debug!(%error, "the locks of a failed transaction are left to whoever meets them");
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
        let taken_away = client.take_away_surely(others, start).await;
        // The primary decides in any case: nobody should wait for a transaction that has failed.
        let mutation = Mutation::new(primary.row.clone());
        let mutation = if self.is_certain() && taken_away.is_ok() {
            let by = RolledBackBy::ItsOwner;
            let mutation = entries::roll_back_primary(mutation, &primary.column, start, by);
            self.done(mutation, start)
        } else {
            let by = RolledBackBy::AnotherOne;
            entries::roll_back_primary(mutation, &primary.column, start, by)
        };
        let lock = self.plan.primary_lock();
        let decisive = mutation.when(is_stored(primary, start, PRIMARY, lock));
        client.take_away_surely(vec![decisive], start).await?;
        taken_away
    }

    /// Takes away the locks beside a primary that was rolled back. Its mark stays: there may be others of them.
    pub(crate) async fn take_back_others(&self) {
        let others = self.others(|_| true);
        // If it fails, whoever meets them does it.
        let taken = self
            .reading
            .client
            .take_away_surely(others, self.plan.start);
        drop(taken.await);
    }

    /// What takes away the locks beside the primary in some rows.
    fn others(&self, is_there: impl Fn(&Bytes) -> bool) -> Vec<ConditionalMutation> {
        let others = self
            .plan
            .cells()
            .filter(|(cell, _)| *cell != self.plan.primary && is_there(&cell.row));
        others
            .map(|(cell, kind)| take_away(&cell, self.plan.start, kind, self.plan.lock_value(kind)))
            .collect()
    }
}
