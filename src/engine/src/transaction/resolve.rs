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
//!   commit of the primary takes effect, not both. This client does not read the primary of
//!   its own commit until the wait was long enough.
//! - **R4.** Several clients may write these entries, any number of times. A reader whose write
//!   fails, because it lacks the permission or because a server is not reachable, applies them to
//!   the entries that it read instead.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{
    Bytes, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result, RowColumn, Timestamp,
};
use tracing::debug;

use crate::context::Shared;
use crate::transaction::foreign_lock::FoundLock;
use crate::transaction::read_past::DecidedLock;
use crate::transaction::roll_back::{WRITE, decide, roll_back_lock};
use crate::transaction::status::{TransactionStatus, is_acknowledged, status};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Number of locks that are left to their live owners.
    pub(crate) waiting: usize,
    /// The starts of the transactions with such locks that this client itself is committing.
    pub(crate) own: BTreeSet<Timestamp>,
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
    /// Counts a lock whose primary has no trace of it. Returns [`Corrupt`](ErrorKind::Corrupt) if
    /// the same lock was met too often.
    pub(crate) fn met(&mut self, lock: &FoundLock) -> Result<()> {
        let met = Some((lock.cell.clone(), lock.start));
        if self.last != met {
            (self.last, self.looks) = (met, 0);
        }
        self.looks += 1;
        if self.looks < MAX_ORPHAN_LOOKS { Ok(()) } else { Err(orphan(lock)) }
    }
}

/// Returns the error for a lock that stays although its primary has no trace of its transaction.
fn orphan(lock: &FoundLock) -> Error {
    let FoundLock { cell, start, primary, .. } = lock;
    let message = if primary.column.visibility.is_empty() {
        format!(
            "`{cell}` is locked by transaction {start}, of which the primary `{primary}` has no trace; its outcome is \
             lost"
        )
    } else {
        format!(
            "`{cell}` is locked by transaction {start}, whose primary `{primary}` is not visible; open the client with \
             all labels"
        )
    };
    Error::corrupt(message)
}

/// Rolls locks of other transactions forward or back.
///
/// Each write is tried once. The status of each transaction is determined before the writes, so a
/// reader does not depend on them: it reads past the locks that are left. Waiting does not help
/// after a denial either: for a call with several rows, Accumulo does not say for certain that it
/// denied the whole call.
pub(crate) async fn resolve(client: &Shared, locks: &[FoundLock]) -> Result<Resolved> {
    let mut resolved = Resolved::default();
    let (mut known, mut denied) = (Vec::new(), Vec::new());
    for group in groups(locks) {
        let lock = *group.first().expect("a group has a lock");
        let others = group.iter().copied().filter(|lock| !lock.is_primary());
        let decided = decided(client, lock).await?;
        if !matches!(decided, Decided::Own | Decided::Waiting | Decided::Orphaned) {
            client.sightings.lock().forget(&lock.primary, lock.start);
        }
        match decided {
            Decided::Ended(committed) => {
                let ended = match committed {
                    Some(_) => metrics::counter!("fluo_locks_rolled_forward_total"),
                    None => metrics::counter!("fluo_locks_rolled_back_total"),
                };
                ended.increment(u64::try_from(group.len()).expect("a count of locks in memory"));
                known.extend(others.map(|lock| DecidedLock { lock: lock.clone(), committed }));
            }
            Decided::Own => {
                resolved.own.insert(lock.start);
                resolved.waiting += group.len();
            }
            Decided::Waiting => resolved.waiting += group.len(),
            Decided::Orphaned => resolved.orphans.push(lock.clone()),
            Decided::Over { is_written } => {
                resolved.orphans.extend(others.take(1).cloned());
                let primary = group.iter().copied().filter(|lock| lock.is_primary() && !is_written);
                denied.extend(
                    primary.map(|lock| DecidedLock { lock: lock.clone(), committed: None }),
                );
            }
        }
    }
    let is_written = match write(client, &known).await {
        Ok(()) => denied.is_empty(),
        // A reader can continue after such an error.
        Err(error) if error.kind().is_passing() || error.kind() == ErrorKind::Denied => false,
        Err(error) => return Err(error),
    };
    if !is_written {
        resolved.left = known.into_iter().chain(denied).collect();
    }
    Ok(resolved)
}

/// Writes the ends of the locks of decided transactions, once.
async fn write(client: &Shared, known: &[DecidedLock]) -> Result<()> {
    let mut forward: BTreeMap<&Bytes, Mutation> = BTreeMap::new();
    let mut back = Vec::new();
    for decided in known {
        let lock = &decided.lock;
        if decided.committed.is_some() {
            let row = &lock.cell.row;
            let mutation = forward.remove(row).unwrap_or_else(|| Mutation::new(row.clone()));
            forward.insert(row, decided.resolved(mutation));
        } else {
            back.push(roll_back_lock(&lock.cell, lock.start, lock.kind, lock.value.clone()));
        }
    }
    if !forward.is_empty() {
        client.table.write(forward.into_values().collect()).await?;
    }
    client.roll_back_locks(&mut back).await
}

fn groups(locks: &[FoundLock]) -> Vec<Vec<&FoundLock>> {
    let mut groups: BTreeMap<(&RowColumn, Timestamp), Vec<&FoundLock>> = BTreeMap::new();
    for lock in locks {
        groups.entry((&lock.primary, lock.start)).or_default().push(lock);
    }
    groups.into_values().collect()
}

/// The decision about a transaction whose locks were met.
enum Decided {
    /// It committed at this timestamp, or was rolled back.
    Ended(Option<Timestamp>),
    /// This client itself is committing it.
    Own,
    /// Its owner may still decide.
    Waiting,
    /// Its primary has no trace of it.
    Orphaned,
    /// Its primary's lock is the only one left. That lock was rolled back, unless this client may
    /// not write the table.
    Over { is_written: bool },
}

/// Returns the decision about the transaction of a lock, after rolling it back if it is dead or too
/// slow (R3).
async fn decided(client: &Shared, lock: &FoundLock) -> Result<Decided> {
    let FoundLock { primary, start, transactor, .. } = lock;
    if let Some(commit) = client.background.commit_of(*start) {
        return Ok(Decided::Ended(Some(commit)));
    }
    if client.background.is_undecided(*start) && !has_timed_out(client, lock) {
        return Ok(Decided::Own);
    }
    let value = match status(&*client.table, primary, *start).await? {
        TransactionStatus::Locked(value) => value,
        TransactionStatus::Unknown => {
            // This client may lack the authorization to see the primary, so only the owner can
            // decide.
            let is_alive = client.liveness.may_be_alive(*transactor).await?;
            return Ok(if is_alive { Decided::Waiting } else { Decided::Orphaned });
        }
        found => return Ok(found.into()),
    };
    if is_acknowledged(&*client.table, primary, *start, &value).await? {
        return end_acknowledged(client, lock, value).await;
    }
    let Some(cause) = rollback_cause(client, lock).await? else {
        return Ok(Decided::Waiting);
    };
    if !roll_back_primary(client, lock, value).await? {
        // The owner or another reader was faster.
        return Ok(status(&*client.table, primary, *start).await?.into());
    }
    debug!(%primary, %start, %transactor, cause, "rolled back a transaction");
    metrics::counter!("fluo_transactions_recovered_total", "cause" => cause).increment(1);
    Ok(Decided::Ended(None))
}

impl From<TransactionStatus> for Decided {
    fn from(status: TransactionStatus) -> Self {
        match status {
            TransactionStatus::Locked(_) => Self::Waiting,
            TransactionStatus::Committed(commit) => Self::Ended(Some(commit)),
            TransactionStatus::RolledBack => Self::Ended(None),
            TransactionStatus::Unknown => Self::Orphaned,
        }
    }
}

/// Returns the reason to wait no longer for an undecided transaction, or `None` to wait (R3).
async fn rollback_cause(client: &Shared, lock: &FoundLock) -> Result<Option<&'static str>> {
    if has_timed_out(client, lock) {
        return Ok(Some("timed out"));
    }
    let may_be_alive = client.liveness.may_be_alive(lock.transactor).await?;
    Ok((!may_be_alive).then_some("dead"))
}

/// Checks whether this client has waited long enough for the transaction of a lock.
fn has_timed_out(client: &Shared, lock: &FoundLock) -> bool {
    let FoundLock { primary, start, transactor, .. } = lock;
    let patience = client.options.rollback_after;
    client.sightings.lock().has_timed_out(primary, *start, *transactor, patience)
}

/// Rolls back a guard lock that became visible again. A partial compaction can drop the end of the
/// lock and keep the lock. It drops the end only if there is a `TX_DONE`, so the transaction has no
/// other lock (P7).
async fn end_acknowledged(client: &Shared, lock: &FoundLock, value: Bytes) -> Result<Decided> {
    let FoundLock { primary, start, .. } = lock;
    let ended = roll_back_lock(primary, *start, WRITE, value);
    match is_written(client, ended).await {
        Ok(true) => Ok(Decided::Over { is_written: true }),
        // Another client has ended it, or the next attempt settles it.
        Ok(false) => Ok(status(&*client.table, primary, *start).await?.into()),
        Err(error) if error.kind() == ErrorKind::Denied => Ok(Decided::Over { is_written: false }),
        Err(error) => Err(error),
    }
}

/// Rolls back the primary of another transaction, unless it was decided meanwhile. Returns whether
/// it did.
async fn roll_back_primary(client: &Shared, lock: &FoundLock, value: Bytes) -> Result<bool> {
    let FoundLock { primary, start, .. } = lock;
    is_written(client, decide(primary, *start, value)).await.map_err(|error| match error.kind() {
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

/// Writes a conditional mutation, and returns whether it was certainly written. A passing error
/// counts as not written; the next attempt settles it.
async fn is_written(client: &Shared, mutation: ConditionalMutation) -> Result<bool> {
    match client.write_one(mutation).await {
        Outcome::Accepted => Ok(true),
        Outcome::Unknown(error) if error.kind() == ErrorKind::Denied => Err(error),
        Outcome::ConstraintViolation(error) if !error.kind().is_passing() => Err(error),
        Outcome::Rejected | Outcome::Unknown(_) | Outcome::ConstraintViolation(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::foreign_lock::LockKind;
    use fluo_table::Column;
    use fluo_table::coordination::TransactorId;

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
