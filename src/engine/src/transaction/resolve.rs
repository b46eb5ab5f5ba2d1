//! Resolution of the locks of other transactions: they are rolled forward, rolled back, or left to
//! a transaction that is alive.
//!
//! - **R1.** The primary determines the status of a transaction. No lock is changed before its
//!   primary was read, unless this client itself has committed the primary.
//! - **R2.** If the transaction is committed, each of its other locks is committed at its commit
//!   timestamp. If it is rolled back, each of its other locks is rolled back. Any transaction that
//!   meets such a lock does this, whether the owner is alive or not.
//! - **R3.** A primary that is still locked is rolled back only if its transactor is gone, or if
//!   its lock was waited for long enough. This is a conditional write, so either it or the owner's
//!   commit of the primary takes effect, not both.
//! - **R4.** Several clients may write these entries, any number of times. A reader whose write
//!   fails, because it lacks the permission or because a server is not reachable, applies them to
//!   the entries that it read instead.

use std::collections::BTreeMap;

use fluo_table::coordination::TransactorId;
use fluo_table::{
    Bytes, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result, RowColumn, Timestamp,
};
use tracing::debug;

use crate::context::Shared;
use crate::transaction::encode_entries;
use crate::transaction::foreign_lock::{FoundLock, LockKind};
use crate::transaction::read_past::DecidedLock;
use crate::transaction::roll_back::{decide, roll_back_lock};
use crate::transaction::status::{TransactionStatus, is_acknowledged, status};

/// The outcome of an attempt to resolve some locks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Number of locks that are left to their live owners.
    pub(crate) waiting: usize,
    /// Locks whose primaries have no trace of their transaction, one lock for each transaction.
    /// Either the lock is gone by now, or the table is damaged.
    pub(crate) orphans: Vec<FoundLock>,
    /// Locks of decided transactions that may still be stored, because a write failed. Empty if no
    /// write failed.
    pub(crate) left: Vec<DecidedLock>,
}

/// Number of attempts after which a lock whose primary has no trace of it counts as damage. Before
/// that, it may have been resolved and collected between two reads.
const MAX_ORPHAN_LOOKS: u32 = 3;

/// A counter of the attempts to resolve the last such lock. The locks of many transactions may each
/// disappear before their primaries are read, and none of them is damage.
#[derive(Debug, Default)]
pub(crate) struct OrphanLooks {
    last: Option<(RowColumn, Timestamp)>,
    looks: u32,
}

impl OrphanLooks {
    /// Counts a lock whose primary has no trace of it.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](ErrorKind::Corrupt) if the same lock was met too often.
    pub(crate) fn met(&mut self, lock: &FoundLock) -> Result<()> {
        let met = Some((lock.cell.clone(), lock.start));
        if self.last != met {
            (self.last, self.looks) = (met, 0);
        }
        self.looks += 1;
        match self.looks >= MAX_ORPHAN_LOOKS {
            true => Err(orphan(lock)),
            false => Ok(()),
        }
    }
}

/// Rolls locks of other transactions forward or back.
///
/// Each write is tried once. The status of each transaction is determined before the writes, so a
/// reader does not depend on them: it reads past the locks that are left. Waiting does not help
/// after a denial either: for a call with several rows, Accumulo does not say for certain that it
/// denied the whole call.
pub(crate) async fn resolve(client: &Shared, locks: &[FoundLock]) -> Result<Resolved> {
    let mut resolved = Resolved::default();
    let mut writes = RowMutations::default();
    let mut rolled_back = Vec::new();
    let mut known = Vec::new();
    let mut has_failed = false;
    for ((primary, start), group) in groups(locks) {
        let Some(transactor) = group.first().map(|lock| lock.transactor) else {
            continue;
        };
        let decided = decided(client, &primary, start, transactor).await?;
        match decided {
            Decided::Waiting | Decided::Orphaned => {}
            _ => client.sightings.forget(&primary, start),
        }
        match decided {
            Decided::Committed(commit) => {
                metrics::counter!("fluo_locks_rolled_forward_total")
                    .increment(as_count(group.len()));
                writes.roll_forward(&group, commit);
                known.extend(decided_locks(others(&group), Some(commit)));
            }
            Decided::RolledBack => {
                metrics::counter!("fluo_locks_rolled_back_total").increment(as_count(group.len()));
                rolled_back.extend(rollbacks(&group));
                known.extend(decided_locks(others(&group), None));
            }
            Decided::Waiting => resolved.waiting += group.len(),
            Decided::Orphaned => resolved.orphans.extend(group.first().copied().cloned()),
            Decided::Over { is_written } => {
                let other = group.iter().find(|lock| !lock.is_primary());
                resolved.orphans.extend(other.copied().cloned());
                if !is_written {
                    has_failed = true;
                    known
                        .extend(decided_locks(group.iter().filter(|lock| lock.is_primary()), None));
                }
            }
        }
    }
    match write(client, writes, rolled_back).await {
        Ok(()) => {}
        Err(error) if may_be_left(&error) => has_failed = true,
        Err(error) => return Err(error),
    }
    if has_failed {
        resolved.left = known;
    }
    Ok(resolved)
}

/// Writes the ends of the locks of decided transactions, once.
async fn write(
    client: &Shared,
    forward: RowMutations,
    mut back: Vec<ConditionalMutation>,
) -> Result<()> {
    let forward = forward.into_mutations();
    if !forward.is_empty() {
        client.table.write(forward).await?;
    }
    match back.is_empty() {
        true => Ok(()),
        false => client.roll_back_locks(&mut back).await,
    }
}

/// Checks whether a reader can continue after this error of a write.
fn may_be_left(error: &Error) -> bool {
    error.kind().is_passing() || error.kind() == ErrorKind::Denied
}

/// Returns the locks with the outcome of their transaction.
fn decided_locks<'a>(
    locks: impl Iterator<Item = &'a &'a FoundLock>,
    committed: Option<Timestamp>,
) -> impl Iterator<Item = DecidedLock> {
    locks.map(move |lock| DecidedLock { lock: (*lock).clone(), committed })
}

/// Returns the locks of the group except that of the primary.
fn others<'a>(group: &'a [&'a FoundLock]) -> impl Iterator<Item = &'a &'a FoundLock> {
    group.iter().filter(|lock| !lock.is_primary())
}

fn rollbacks(locks: &[&FoundLock]) -> Vec<ConditionalMutation> {
    others(locks)
        .map(|lock| roll_back_lock(&lock.cell, lock.start, lock.kind, lock.value.clone()))
        .collect()
}

/// Returns the error for a lock that stays although its primary has no trace of its transaction.
fn orphan(lock: &FoundLock) -> Error {
    if !lock.primary.column.visibility.is_empty() {
        let message = format!(
            "`{}` is locked by transaction {}, whose primary `{}` is not visible; open the client with all labels",
            lock.cell, lock.start, lock.primary
        );
        return Error::new(ErrorKind::Corrupt, message);
    }
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "`{}` is locked by transaction {}, of which the primary `{}` has no trace; its outcome is lost",
            lock.cell, lock.start, lock.primary
        ),
    )
}

type Groups<'a> = BTreeMap<(RowColumn, Timestamp), Vec<&'a FoundLock>>;

fn groups(locks: &[FoundLock]) -> Groups<'_> {
    let mut groups = Groups::new();
    for lock in locks {
        let key = (lock.primary.clone(), lock.start);
        groups.entry(key).or_default().push(lock);
    }
    groups
}

/// The decision about a transaction whose locks were met.
enum Decided {
    Committed(Timestamp),
    RolledBack,
    /// Its owner may still decide.
    Waiting,
    /// Its primary has no trace of it.
    Orphaned,
    /// Its primary's lock is the only one left. That lock was rolled back, unless this client may
    /// not write the table.
    Over {
        is_written: bool,
    },
}

/// Returns the decision about a transaction, after rolling it back if it is dead or too slow (R3).
async fn decided(
    client: &Shared,
    primary: &RowColumn,
    start: Timestamp,
    transactor: TransactorId,
) -> Result<Decided> {
    if let Some(commit) = client.background.commit_of(start) {
        return Ok(Decided::Committed(commit));
    }
    let found = status(&*client.table, primary, start).await?;
    let lock = match &found {
        TransactionStatus::Locked(lock) => Some(lock),
        TransactionStatus::Unknown => None,
        TransactionStatus::Committed(_) | TransactionStatus::RolledBack => return Ok(found.into()),
    };
    if let Some(lock) = lock
        && is_acknowledged(&*client.table, primary, start, lock).await?
    {
        return end_acknowledged(client, primary, start, lock.clone()).await;
    }
    let Some(lock) = lock else {
        // This client may lack the authorization to see the primary, so only the owner can decide.
        let is_alive = client.coordination.is_alive(transactor).await?;
        return Ok(match is_alive {
            true => Decided::Waiting,
            false => Decided::Orphaned,
        });
    };
    let Some(cause) = rollback_cause(client, primary, start, transactor).await? else {
        return Ok(Decided::Waiting);
    };
    if !roll_back_primary(client, primary, start, lock.clone()).await? {
        // The owner or another reader was faster.
        return Ok(status(&*client.table, primary, start).await?.into());
    }
    debug!(%primary, %start, %transactor, cause, "rolled back a transaction");
    metrics::counter!("fluo_transactions_recovered_total", "cause" => cause).increment(1);
    Ok(Decided::RolledBack)
}

impl From<TransactionStatus> for Decided {
    fn from(status: TransactionStatus) -> Self {
        match status {
            TransactionStatus::Locked(_) => Self::Waiting,
            TransactionStatus::Committed(commit) => Self::Committed(commit),
            TransactionStatus::RolledBack => Self::RolledBack,
            TransactionStatus::Unknown => Self::Orphaned,
        }
    }
}

/// Returns the reason to wait no longer for an undecided transaction, or `None` to wait (R3).
async fn rollback_cause(
    client: &Shared,
    primary: &RowColumn,
    start: Timestamp,
    transactor: TransactorId,
) -> Result<Option<&'static str>> {
    let patience = client.options.rollback_after;
    let sightings = &client.sightings;
    if sightings.has_timed_out(primary, start, transactor, patience) {
        return Ok(Some("timed out"));
    }
    let is_alive = client.coordination.is_alive(transactor).await?;
    Ok((!is_alive).then_some("dead"))
}

/// Rolls back a guard lock that became visible again. A partial compaction can drop the end of the
/// lock and keep the lock. It drops the end only if there is a `TX_DONE`, so the transaction has no
/// other lock (P7).
async fn end_acknowledged(
    client: &Shared,
    primary: &RowColumn,
    start: Timestamp,
    lock: Bytes,
) -> Result<Decided> {
    let ended = roll_back_lock(primary, start, ACKNOWLEDGING, lock);
    match is_written(client, ended).await {
        Ok(true) => Ok(Decided::Over { is_written: true }),
        // Another client has ended it, or the next attempt settles it.
        Ok(false) => Ok(status(&*client.table, primary, start).await?.into()),
        Err(error) if error.kind() == ErrorKind::Denied => Ok(Decided::Over { is_written: false }),
        Err(error) => Err(error),
    }
}

/// Writes a conditional mutation, and returns whether it was certainly written. A passing error
/// counts as not written; the next attempt settles it.
async fn is_written(client: &Shared, mutation: ConditionalMutation) -> Result<bool> {
    let outcomes = client.table.write_conditional(vec![mutation]).await;
    match outcomes.map(|outcomes| outcomes.into_iter().next()) {
        Ok(Some(Outcome::Accepted)) => Ok(true),
        Ok(Some(Outcome::Unknown(error))) if error.kind() == ErrorKind::Denied => Err(error),
        Ok(Some(Outcome::Rejected | Outcome::Unknown(_)) | None) => Ok(false),
        Ok(Some(Outcome::ConstraintViolation(error))) => Err(error),
        Err(error) if error.kind().is_passing() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The kind of a lock that only guards the cell of a notification.
const ACKNOWLEDGING: LockKind =
    LockKind::Write { is_write: false, is_delete: false, is_trigger: true };

/// Rolls back the primary of another transaction, unless it was decided meanwhile. Returns whether
/// it did.
async fn roll_back_primary(
    client: &Shared,
    primary: &RowColumn,
    start: Timestamp,
    value: Bytes,
) -> Result<bool> {
    let mutation = decide(primary, start, value);
    is_written(client, mutation).await.map_err(|error| match error.kind() {
        ErrorKind::Denied => {
            let message = format!(
                "cannot roll back transaction {start} on `{primary}`: {error}; read it once with a client that may \
                 write the table"
            );
            Error::with_source(ErrorKind::Denied, message, error)
        }
        _ => error,
    })
}

/// Updates grouped by row, so that each row is written once.
#[derive(Debug, Default)]
pub(crate) struct RowMutations {
    rows: BTreeMap<Bytes, Mutation>,
}

impl RowMutations {
    pub(crate) fn add(&mut self, row: &Bytes, update: impl FnOnce(Mutation) -> Mutation) {
        let mutation = self.rows.remove(row).unwrap_or_else(|| Mutation::new(row.clone()));
        self.rows.insert(row.clone(), update(mutation));
    }

    /// Deletes the notifications of a cell up to a timestamp.
    pub(crate) fn delete_notifications(&mut self, cell: &RowColumn, at: Timestamp) {
        self.add(&cell.row, |mutation| {
            encode_entries::notification_delete(mutation, &cell.column, at)
        });
    }

    fn roll_forward(&mut self, locks: &[&FoundLock], commit: Timestamp) {
        for lock in locks.iter().filter(|lock| !lock.is_primary()) {
            let times = (lock.start, commit);
            self.add(&lock.cell.row, |mutation| {
                encode_entries::commit(mutation, &lock.cell.column, times, lock.kind, false)
            });
        }
    }

    pub(crate) fn into_mutations(self) -> Vec<Mutation> {
        self.rows.into_values().collect()
    }
}

fn as_count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluo_table::Column;

    fn lock(row: &'static str, start: u64) -> FoundLock {
        let cell = |row| RowColumn::new(row, Column::new("f", "q"));
        FoundLock {
            cell: cell(row),
            start: Timestamp::new(start).unwrap(),
            primary: cell("p"),
            transactor: TransactorId(1),
            kind: LockKind::Read,
            value: Bytes::default(),
        }
    }

    /// Three locks of three transactions, each met once, used to count as damage.
    #[test]
    fn reports_one_lock_that_stays_but_not_three_that_disappear() {
        let mut looks = OrphanLooks::default();
        for (row, start) in [("a", 7), ("b", 7), ("b", 8), ("a", 7), ("a", 7)] {
            looks.met(&lock(row, start)).unwrap();
        }
        let error = looks.met(&lock("a", 7)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(
            error.to_string(),
            "`a f:q` is locked by transaction 7, of which the primary `p f:q` has no trace; its outcome is lost"
        );
    }
}
