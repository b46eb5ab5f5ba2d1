//! Records: cells of a snapshot and stored entries, as they are printed.

use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, LockValue, NOTIFICATION_FAMILY,
    NotificationTimestamp, ReadLockValue, WriteValue, observed_column,
};
use fluo_table::{Cell, Column, Result, RowColumn};
use serde::Serialize;
use serde_json::Value;

use crate::encoding::Written;

#[derive(Debug, Serialize)]
pub(crate) struct Record {
    /// The stored key, if it is shown beside the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    /// `None` if the key is not one of the design.
    pub(super) row: Option<String>,
    pub(super) family: String,
    pub(super) qualifier: String,
    pub(super) visibility: String,
    /// A number, or a stored timestamp that is not one of a transaction's entry, in hex.
    pub(super) timestamp: Value,
    /// The type of an entry; `None` for a cell of a snapshot.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) value: String,
}

pub(super) const WRITE: &str = "WRITE";

impl Record {
    pub(crate) fn of_cell(cell: &Cell, written: Written) -> Self {
        let column = &cell.key.column;
        Self {
            key: None,
            row: Some(written.shown(&cell.key.row)),
            family: written.shown(&column.family),
            qualifier: written.shown(&column.qualifier),
            visibility: written.shown(&column.visibility),
            timestamp: cell.key.timestamp.into(),
            kind: None,
            value: written.shown(&cell.value),
        }
    }

    /// Creates the record of a cell with the row of its key, if it is a key of the design.
    pub(crate) fn decoded(cell: &Cell, row: Option<&[u8]>, written: Written) -> Self {
        let record = Self::of_cell(cell, written);
        Self { key: record.row, row: row.map(|row| written.shown(row)), ..record }
    }

    /// Creates the record of a stored entry. A part that cannot be decoded is in hex.
    pub(super) fn of_entry(cell: &Cell, written: Written) -> Self {
        let mut record = Self::of_cell(cell, written);
        let stored = cell.key.timestamp;
        let decoded = if cell.key.column.family == NOTIFICATION_FAMILY.as_bytes() {
            record.qualifier = match observed_column(&cell.key.column) {
                // Two names in one field, so the family ends at the first `:`.
                Ok(Column { family, qualifier, .. }) => {
                    format!("{}:{}", written.family(&family), written.shown(&qualifier))
                }
                Err(_) => hex(&cell.key.column.qualifier),
            };
            record.family = NOTIFICATION_FAMILY.to_owned();
            NotificationTimestamp::decode(stored).map(|stamp| {
                let kind = if stamp.is_delete { "DELETE" } else { "INSERT" };
                (stamp.timestamp, kind, record.value.clone())
            })
        } else {
            EntryTimestamp::decode(stored).map(|stamp| {
                let value = value(stamp.kind, cell, written);
                (stamp.timestamp, name(stamp.kind), value.unwrap_or_else(|_| hex(&cell.value)))
            })
        };
        let (timestamp, kind, value) = match decoded {
            Some((timestamp, kind, value)) => (timestamp.get().into(), kind, value),
            None => (format!("0x{stored:016x}").into(), "UNKNOWN", hex(&cell.value)),
        };
        Self { timestamp, kind: Some(kind), value, ..record }
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", data_encoding::HEXLOWER.encode(bytes))
}

fn name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::TxDone => "TX_DONE",
        EntryKind::Write => WRITE,
        EntryKind::DelLock => "DEL_LOCK",
        EntryKind::ReadLock => "RLOCK",
        EntryKind::DelReadLock => "DEL_RLOCK",
        EntryKind::Lock => "LOCK",
        EntryKind::Ack => "ACK",
        EntryKind::Data => "DATA",
    }
}

fn value(kind: EntryKind, cell: &Cell, written: Written) -> Result<String> {
    let bytes = &cell.value;
    Ok(match kind {
        EntryKind::Write => {
            let value = WriteValue::decode(bytes)?;
            let delete = if value.is_delete { " DELETE" } else { "" };
            format!("{}{delete}{}", value.start, primary(value.is_primary))
        }
        EntryKind::DelLock => {
            let value = DelLockValue::decode(bytes)?;
            let outcome = if value.is_rolled_back { "ABORT" } else { "COMMIT" };
            format!("{outcome}{} {}", primary(value.is_primary), value.done)
        }
        EntryKind::Lock => {
            let value = LockValue::decode(bytes)?;
            let flags = [
                (value.is_write, "WRITE"),
                (value.is_delete, "DELETE"),
                (value.is_trigger, "TRIGGER"),
            ];
            let flag =
                |(is_set, name)| if is_set { format!(" {name}") } else { format!(" NOT_{name}") };
            held(&value.primary, &flags.map(flag).concat(), value.transactor, written)
        }
        EntryKind::ReadLock => {
            let ReadLockValue { primary, transactor } = ReadLockValue::decode(bytes)?;
            held(&primary, "", transactor, written)
        }
        EntryKind::DelReadLock => match DelReadLockValue::decode(bytes)? {
            DelReadLockValue::Committed(at) => format!("{at} COMMIT"),
            DelReadLockValue::RolledBack => "-1 ABORT".to_owned(),
        },
        EntryKind::TxDone | EntryKind::Ack | EntryKind::Data => written.shown(bytes),
    })
}

fn primary(is_primary: bool) -> &'static str {
    if is_primary { " PRIMARY" } else { "" }
}

/// Formats the primary, the operation on the cell, and the owner of the lock.
fn held(primary: &RowColumn, flags: &str, transactor: TransactorId, written: Written) -> String {
    let RowColumn { row, column } = primary;
    let [row, qualifier, visibility] =
        [row, &column.qualifier, &column.visibility].map(|bytes| written.word(bytes));
    let family = written.family(&column.family);
    format!("{row} {family} {qualifier} {visibility}{flags} {transactor}")
}
