//! Random entries of a column.

use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, LockValue, NotificationTimestamp,
    ReadLockValue, WriteValue,
};
use fluo_table::{Bytes, Column, RowColumn, Timestamp};

use crate::conformance::agreement::Random;

/// A stored entry of a column: its timestamp and its value.
pub(super) type Entry = (i64, Bytes);

/// Number of different timestamps: few, so that entries often have the same one. The transactions
/// of a column start and commit within them.
const TIMESTAMPS: u64 = 12;

const KINDS: [EntryKind; 8] = [
    EntryKind::TxDone,
    EntryKind::Write,
    EntryKind::DelLock,
    EntryKind::ReadLock,
    EntryKind::DelReadLock,
    EntryKind::Lock,
    EntryKind::Ack,
    EntryKind::Data,
];

/// Draws a timestamp of the oracle: a low one, or rarely one of the highest possible.
pub(super) fn timestamp(random: &mut Random) -> Timestamp {
    let near = random.number_below(TIMESTAMPS);
    let number = match random.one_in(40) {
        true => Timestamp::MAX.get() - near,
        false => near,
    };
    Timestamp::new(number).unwrap()
}

/// Draws an entry of a cell, of any kind, independent of other entries of the column.
pub(super) fn of_cell(random: &mut Random) -> Entry {
    let kind = random.pick(&KINDS);
    let stamp = EntryTimestamp::new(kind, timestamp(random)).encode();
    (stamp, value(random, kind))
}

fn value(random: &mut Random, kind: EntryKind) -> Bytes {
    let mut flag = || random.one_in(2);
    match kind {
        EntryKind::TxDone | EntryKind::Ack => Bytes::new(),
        EntryKind::Write => {
            let (is_primary, is_delete) = (flag(), flag());
            let value = WriteValue { start: timestamp(random), is_primary, is_delete };
            value.encode()
        }
        EntryKind::DelLock => {
            let (is_rolled_back, is_primary) = (flag(), flag());
            let value = DelLockValue { is_rolled_back, is_primary, done: timestamp(random) };
            value.encode()
        }
        EntryKind::ReadLock => {
            let value = ReadLockValue { primary: primary(), transactor: TransactorId(1) };
            value.encode()
        }
        EntryKind::DelReadLock => match flag() {
            true => DelReadLockValue::RolledBack.encode(),
            false => DelReadLockValue::Committed(timestamp(random)).encode(),
        },
        EntryKind::Lock => {
            let value = LockValue {
                primary: primary(),
                transactor: TransactorId(1),
                is_write: flag(),
                is_delete: flag(),
                is_trigger: flag(),
            };
            value.encode()
        }
        EntryKind::Data => random.number_below(1_000).to_string().into(),
    }
}

fn primary() -> RowColumn {
    RowColumn::new("primary", Column::new("f", "q").with_visibility("A"))
}

/// Draws the entries that a transaction leaves in a column, or a consistent part of them.
pub(super) fn of_transaction(random: &mut Random) -> Vec<Entry> {
    let start = timestamp(random);
    let later = start.get() + 1 + random.number_below(3);
    let commit = Timestamp::new(later).unwrap_or(Timestamp::MAX);
    let is_primary = random.one_in(2);
    let entry = |kind, timestamp, value| (EntryTimestamp::new(kind, timestamp).encode(), value);
    let lock = |random: &mut Random| entry(EntryKind::Lock, start, value(random, EntryKind::Lock));
    let data = entry(EntryKind::Data, start, start.to_string().into());
    let done = |timestamp| match is_primary {
        true => vec![entry(EntryKind::TxDone, timestamp, Bytes::new())],
        false => Vec::new(),
    };
    match random.below(6) {
        0 => vec![lock(random), data],
        1 | 2 => {
            let is_delete = random.one_in(3);
            let write = WriteValue { start, is_primary, is_delete };
            let data = Some(data).filter(|_| !is_delete);
            let write = entry(EntryKind::Write, commit, write.encode());
            let rest = done(commit).into_iter().chain(data);
            rest.chain([lock(random), write]).collect()
        }
        3 => {
            let end = DelLockValue {
                is_rolled_back: true,
                is_primary,
                done: if is_primary { start } else { Timestamp::ZERO },
            };
            let end = entry(EntryKind::DelLock, start, end.encode());
            let rest = done(start).into_iter();
            rest.chain([lock(random), data, end]).collect()
        }
        4 => {
            let end = DelReadLockValue::Committed(commit).encode();
            let lock = entry(EntryKind::ReadLock, start, value(random, EntryKind::ReadLock));
            vec![lock, entry(EntryKind::DelReadLock, start, end)]
        }
        _ => {
            let end = DelLockValue { is_rolled_back: false, is_primary, done: commit };
            let end = entry(EntryKind::DelLock, start, end.encode());
            let ack = entry(EntryKind::Ack, start, Bytes::new());
            let rest = done(commit).into_iter();
            rest.chain([lock(random), end, ack]).collect()
        }
    }
}

/// Draws an entry of a column of notifications, rarely one with a timestamp that no notification
/// has.
pub(super) fn of_notification(random: &mut Random) -> Entry {
    let stamp = NotificationTimestamp { timestamp: timestamp(random), is_delete: random.one_in(2) };
    let stamp = stamp.encode();
    let stamp = if random.one_in(20) { -stamp } else { stamp };
    (stamp, Bytes::new())
}
