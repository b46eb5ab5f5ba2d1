//! Conditions and entries as `docs/protocol.md` shows them.

use std::fmt::Write as _;

use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, LockValue, NOTIFICATION_FAMILY,
    NotificationTimestamp, ReadLockValue, WriteValue, observed_column,
};
use fluo_table::{Cell, Condition, ConditionalMutation, Escaped, Filter, RowColumn};

/// Formats the conditions of a mutation, one on each line.
pub(crate) fn conditions(mutation: &ConditionalMutation) -> String {
    let row = Escaped(&mutation.mutation.row);
    mutation.conditions.iter().fold(String::new(), |mut shown, condition| {
        let column = &condition.column;
        match (&condition.expected, condition.timestamp) {
            (None, Some(timestamp)) => {
                let stamp = EntryTimestamp::decode(timestamp).unwrap();
                let kind = match stamp.kind {
                    EntryKind::DelReadLock => "DEL_RLOCK",
                    EntryKind::Ack => "ACK",
                    other => panic!("no step requires that {other:?} is absent"),
                };
                writeln!(shown, "  if no {kind} at {} of {row} {column} is stored", stamp.timestamp)
            }
            (None, None) => {
                writeln!(shown, "  if {} shows nothing of {row} {column}", filter(condition))
            }
            (Some(value), None) => writeln!(
                shown,
                "  if {} shows, of {row} {column}, the lock: {}",
                filter(condition),
                lock(value)
            ),
            (Some(_), Some(timestamp)) => {
                let stamp = EntryTimestamp::decode(timestamp).unwrap();
                let kind = match stamp.kind {
                    EntryKind::Lock => "LOCK",
                    EntryKind::ReadLock => "RLOCK",
                    other => panic!("no step requires that {other:?} is stored"),
                };
                writeln!(
                    shown,
                    "  if its {kind} at {} of {row} {column} is still stored",
                    stamp.timestamp
                )
            }
        }
        .unwrap();
        shown
    })
}

fn filter(condition: &Condition) -> String {
    match condition.filter {
        Filter::Prewrite(prewrite) => {
            let mut shown = format!("the prewrite filter of {}", prewrite.start);
            if prewrite.is_read_lock {
                shown.push_str(", to read,");
            }
            if let Some(notified) = prewrite.acknowledged_after {
                write!(shown, ", notified at {notified},").unwrap();
            }
            shown
        }
        Filter::TransactionStatus { start } => format!("the status filter of {start}"),
        other => panic!("no step has a condition through {other:?}"),
    }
}

/// Formats an entry: place, kind, timestamp and meaning of the value, then timestamp and value in
/// hex.
pub(crate) fn entry(cell: &Cell) -> String {
    let place = RowColumn::new(cell.key.row.clone(), cell.key.column.clone());
    let (place, said) = if place.column.family == NOTIFICATION_FAMILY {
        notification(&place, cell.key.timestamp)
    } else {
        of_kind(&place, cell)
    };
    let stamp = cell.key.timestamp.cast_unsigned();
    let value = cell.value.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    let bytes = format!("{stamp:016x} {value}");
    format!("  {place}  {said}\n    {}\n", bytes.trim_end())
}

fn notification(place: &RowColumn, stamp: i64) -> (String, String) {
    let NotificationTimestamp { timestamp, is_delete } =
        NotificationTimestamp::decode(stamp).unwrap();
    let observed = observed_column(&place.column).unwrap();
    let said = match is_delete {
        false => format!("notification of {observed} at {timestamp}"),
        true => format!("notifications of {observed} up to {timestamp} deleted"),
    };
    (place.to_string(), said)
}

fn of_kind(place: &RowColumn, cell: &Cell) -> (String, String) {
    let EntryTimestamp { kind, timestamp } = EntryTimestamp::decode(cell.key.timestamp).unwrap();
    let value = &cell.value;
    let (name, says) = match kind {
        EntryKind::TxDone => ("TX_DONE", empty(value)),
        EntryKind::Ack => ("ACK", empty(value)),
        EntryKind::Data => ("DATA", Escaped(value).to_string()),
        EntryKind::Lock => ("LOCK", lock(value)),
        EntryKind::ReadLock => ("RLOCK", read_lock(value)),
        EntryKind::Write => ("WRITE", write(value)),
        EntryKind::DelLock => ("DEL_LOCK", del_lock(value)),
        EntryKind::DelReadLock => ("DEL_RLOCK", del_read_lock(value)),
    };
    let said = format!("{name} {timestamp}  {says}");
    (place.to_string(), said.trim_end().to_owned())
}

fn empty(value: &[u8]) -> String {
    assert!(value.is_empty());
    String::new()
}

fn lock(value: &[u8]) -> String {
    let lock = LockValue::decode(value).unwrap();
    let flags =
        [(lock.is_write, "write"), (lock.is_delete, "delete"), (lock.is_trigger, "trigger")];
    let flags: Vec<_> =
        flags.into_iter().filter_map(|(is_set, name)| is_set.then_some(name)).collect();
    format!("{}, primary {}, transactor {}", flags.join(" "), lock.primary, lock.transactor)
}

fn read_lock(value: &[u8]) -> String {
    let lock = ReadLockValue::decode(value).unwrap();
    format!("primary {}, transactor {}", lock.primary, lock.transactor)
}

fn write(value: &[u8]) -> String {
    let write = WriteValue::decode(value).unwrap();
    let what = if write.is_delete { "deleted" } else { "set" };
    let primary = if write.is_primary { ", primary" } else { "" };
    format!("{what} by the transaction of {}{primary}", write.start)
}

fn del_lock(value: &[u8]) -> String {
    let DelLockValue { is_rolled_back, is_primary, done } = DelLockValue::decode(value).unwrap();
    let outcome = if is_rolled_back { "rolled back" } else { "committed" };
    let primary = if is_primary { ", primary" } else { "" };
    format!("{outcome}{primary}, done at {done}")
}

fn del_read_lock(value: &[u8]) -> String {
    match DelReadLockValue::decode(value).unwrap() {
        DelReadLockValue::Committed(at) => format!("committed at {at}"),
        DelReadLockValue::RolledBack => "rolled back".to_owned(),
    }
}
