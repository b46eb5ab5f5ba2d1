//! Rollback of locks: a transaction's own, and those of other transactions that never commit.
//!
//! - **R5.** The entry that ends a lock is written only while that very lock is still stored. The
//!   entry hides every older lock of the cell. It may be collected while an older transaction is
//!   still alive, and that transaction may lock the cell afterwards. A second, late copy of the
//!   entry would hide that lock.
//! - **R6.** The same conditional write also requires that the transaction's status in this column
//!   is this lock. A lock stays stored under the entry that ended it, and a rollback beside a
//!   committed write would let a compaction drop the value.

use std::collections::BTreeMap;

use crate::context::Shared;
use crate::transaction::encode_entries::{self, stamp};
use crate::transaction::foreign_lock::LockKind;
use fluo_table::layout::EntryKind;
use fluo_table::{
    Bytes, Condition, ConditionalMutation, Filter, Mutation, Outcome, Result, RowColumn, Timestamp,
};

/// Returns the mutation that rolls back a lock other than a primary's; `value` is the value of the
/// lock.
pub(crate) fn roll_back_lock(
    cell: &RowColumn,
    start: Timestamp,
    kind: LockKind,
    value: Bytes,
) -> ConditionalMutation {
    let mutation = Mutation::new(cell.row.clone());
    encode_entries::roll_back(mutation, &cell.column, start, kind)
        .when(is_stored(cell, start, kind, value.clone()))
        .and(match kind {
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
    encode_entries::roll_back_primary(primary, start, Timestamp::ZERO)
        .when(is_held(primary, start, lock.clone()))
        .and(is_stored(primary, start, WRITE, lock))
        .and(is_absent(primary, EntryKind::Ack, start))
}

/// A kind of a lock that is not a read lock. Rollbacks do not depend on its flags.
pub(crate) const WRITE: LockKind =
    LockKind::Write { is_write: true, is_delete: false, is_trigger: false };

/// Returns the condition that this lock is stored (R5).
pub(crate) fn is_stored(
    cell: &RowColumn,
    start: Timestamp,
    kind: LockKind,
    value: Bytes,
) -> Condition {
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
        let mut backoff = self.backoff(start);
        while !mutations.is_empty() {
            match self.roll_back_locks(&mut mutations).await {
                Err(error) if error.kind().is_passing() && backoff.wait().await => {}
                done => return done,
            }
        }
        Ok(())
    }

    /// Rolls locks back, those of a row in one mutation. Keeps the mutations of the locks that may
    /// still be there.
    pub(crate) async fn roll_back_locks(
        &self,
        mutations: &mut Vec<ConditionalMutation>,
    ) -> Result<()> {
        let mut rows = by_row(std::mem::take(mutations));
        let mut written = Ok(());
        while !rows.is_empty() {
            let wholes = rows.iter().map(|locks| merged(locks)).collect();
            let outcomes = self.write_each(wholes).await;
            let mut alone = Vec::new();
            for (locks, outcome) in rows.into_iter().zip(outcomes) {
                match outcome {
                    // One of the locks of a rejected row has ended, so each of them is tried alone.
                    Outcome::Rejected if locks.len() > 1 => {
                        alone.extend(locks.into_iter().map(|lock| vec![lock]));
                    }
                    Outcome::Accepted | Outcome::Rejected => {}
                    Outcome::ConstraintViolation(error) | Outcome::Unknown(error) => {
                        mutations.extend(locks);
                        written = Err(error);
                    }
                }
            }
            rows = alone;
        }
        written
    }
}

/// Maximum number of locks that one mutation ends, so that it fits in a request.
const LOCKS_PER_MUTATION: usize = 256;

fn by_row(mutations: Vec<ConditionalMutation>) -> Vec<Vec<ConditionalMutation>> {
    let mut rows: BTreeMap<Bytes, Vec<ConditionalMutation>> = BTreeMap::new();
    for conditional in mutations {
        rows.entry(conditional.mutation.row.clone()).or_default().push(conditional);
    }
    let parts = rows.values().flat_map(|locks| locks.chunks(LOCKS_PER_MUTATION));
    parts.map(<[_]>::to_vec).collect()
}

/// Returns the mutation with all updates and all conditions of those of one row.
fn merged(locks: &[ConditionalMutation]) -> ConditionalMutation {
    let whole = locks.iter().cloned().reduce(|mut whole, lock| {
        whole.mutation.updates.extend(lock.mutation.updates);
        whole.conditions.extend(lock.conditions);
        whole
    });
    whole.expect("a row has a lock")
}

#[cfg(test)]
mod tests {
    use fluo_table::{Authorizations, Column, MemoryTables, TableAdmin, Versions};

    use super::*;
    use crate::transaction::encode_entries::put;

    #[tokio::test]
    async fn a_lock_is_rolled_back_only_while_its_column_says_that_it_is_held() {
        let tables = MemoryTables::new();
        tables.create_table("t", Versions::All).await.unwrap();
        let table = tables.open_table("t", Authorizations::none());
        let table = table.await.unwrap();
        let [start, commit] = [5, 7].map(|number| Timestamp::new(number).unwrap());
        let roll_back = async |cell: &RowColumn, kind| {
            let mutation = roll_back_lock(cell, start, kind, "lock".into());
            let mut outcomes = table.write_conditional(vec![mutation]).await.unwrap();
            matches!(outcomes.remove(0), Outcome::Accepted)
        };
        let column = Column::new("f", "q");
        for (name, kind) in [("read", LockKind::Read), ("write", WRITE)] {
            let lock = async |row: String| {
                let mutation = Mutation::new(row.clone());
                let locked = put(mutation, &column, kind.entry(), start, "lock");
                table.write(vec![locked]).await.unwrap();
                RowColumn::new(row, column.clone())
            };
            let held = lock(format!("{name}, held")).await;
            assert!(roll_back(&held, kind).await, "{name}");
            assert!(!roll_back(&held, kind).await, "{name}: it has ended");

            // The lock stays stored under the entry of the commit.
            let committed = lock(format!("{name}, committed")).await;
            let mutation = Mutation::new(committed.row.clone());
            let ended = encode_entries::commit(mutation, &column, (start, commit), kind, false);
            table.write(vec![ended]).await.unwrap();
            assert!(!roll_back(&committed, kind).await, "{name}: R6");
        }
    }
}
