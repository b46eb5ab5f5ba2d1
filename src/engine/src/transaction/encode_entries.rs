//! The entries that the steps of a transaction write. Each is a put whose timestamp encodes its
//! kind.

use std::collections::BTreeMap;

use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, NotificationTimestamp, WriteValue,
    notification_column,
};
use fluo_table::{Bytes, Column, Mutation, RowColumn, Timestamp};

use crate::transaction::foreign_lock::LockKind;

pub(crate) fn stamp(kind: EntryKind, timestamp: Timestamp) -> i64 {
    EntryTimestamp::new(kind, timestamp).encode()
}

pub(crate) fn put(
    mutation: Mutation,
    column: &Column,
    kind: EntryKind,
    timestamp: Timestamp,
    value: impl Into<Bytes>,
) -> Mutation {
    mutation.put_at(column.clone(), stamp(kind, timestamp), value)
}

pub(crate) fn commit(
    mutation: Mutation,
    column: &Column,
    (start, commit): (Timestamp, Timestamp),
    kind: LockKind,
    is_primary: bool,
) -> Mutation {
    let LockKind::Write { is_write, is_delete, is_trigger } = kind else {
        let value = DelReadLockValue::Committed(commit).encode();
        return put(mutation, column, EntryKind::DelReadLock, start, value);
    };
    let committed = if is_write {
        let value = WriteValue { start, is_primary, is_delete };
        put(mutation, column, EntryKind::Write, commit, value.encode())
    } else {
        let value = DelLockValue { is_rolled_back: false, is_primary, done: commit };
        put(mutation, column, EntryKind::DelLock, start, value.encode())
    };
    if is_trigger { put(committed, column, EntryKind::Ack, start, Bytes::new()) } else { committed }
}

/// Adds the entry that rolls back a locked cell other than the primary.
pub(crate) fn roll_back(
    mutation: Mutation,
    column: &Column,
    start: Timestamp,
    kind: LockKind,
) -> Mutation {
    let value = match kind {
        LockKind::Read => DelReadLockValue::RolledBack.encode(),
        LockKind::Write { .. } => rolled_back(false, Timestamp::ZERO),
    };
    put(mutation, column, kind.end(), start, value)
}

/// Returns the entry that decides that a transaction is rolled back. If its owner certainly leaves
/// no lock, `done` is the start. Otherwise it is zero.
pub(crate) fn roll_back_primary(
    primary: &RowColumn,
    start: Timestamp,
    done: Timestamp,
) -> Mutation {
    let mutation = Mutation::new(primary.row.clone());
    put(mutation, &primary.column, EntryKind::DelLock, start, rolled_back(true, done))
}

fn rolled_back(is_primary: bool, done: Timestamp) -> Bytes {
    DelLockValue { is_rolled_back: true, is_primary, done }.encode()
}

/// Adds the entry on the primary that says that the transaction has no lock left: at its commit
/// timestamp, or at its start if it was rolled back.
pub(crate) fn done(mutation: Mutation, column: &Column, at: Timestamp) -> Mutation {
    put(mutation, column, EntryKind::TxDone, at, Bytes::new())
}

/// Adds the notification of the observers of a cell, or the deletion of those up to a timestamp.
pub(crate) fn notification(
    mutation: Mutation,
    observed: &Column,
    stamp: NotificationTimestamp,
) -> Mutation {
    mutation.put_at(notification_column(observed), stamp.encode(), Bytes::new())
}

pub(crate) fn by_row(cells: impl IntoIterator<Item = RowColumn>) -> BTreeMap<Bytes, Vec<Column>> {
    let mut rows: BTreeMap<Bytes, Vec<Column>> = BTreeMap::new();
    for RowColumn { row, column } in cells {
        rows.entry(row).or_default().push(column);
    }
    rows
}

pub(crate) fn notifications<'a>(
    notified: impl IntoIterator<Item = (&'a Bytes, &'a Vec<Column>)>,
    at: Timestamp,
) -> Vec<Mutation> {
    let stamp = NotificationTimestamp { timestamp: at, is_delete: false };
    let mutation = |(row, columns): (&Bytes, &Vec<Column>)| {
        let columns = columns.iter();
        columns.fold(Mutation::new(row.clone()), |row, column| notification(row, column, stamp))
    };
    notified.into_iter().map(mutation).collect()
}

/// Returns the mutation that deletes the notifications of a cell up to a timestamp.
pub(crate) fn delete_notifications(cell: &RowColumn, at: Timestamp) -> Mutation {
    let stamp = NotificationTimestamp { timestamp: at, is_delete: true };
    notification(Mutation::new(cell.row.clone()), &cell.column, stamp)
}
