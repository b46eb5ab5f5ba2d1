//! Records: cells of a snapshot and stored entries, as they are printed.

use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    DelLockOutcome, DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, LockValue,
    NOTIFICATION_FAMILY, NotificationTimestamp, ReadLockValue, WriteValue, observed_column,
};
use fluo_table::{Cell, Result, RowColumn};
use serde::Serialize;

use crate::byte_encoding::Written;

/// A cell or an entry, as text.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    pub(super) row: String,
    pub(super) family: String,
    pub(super) qualifier: String,
    pub(super) visibility: String,
    pub(super) timestamp: Stamp,
    /// The type of an entry; `None` for a cell of a snapshot.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) value: String,
}

/// A timestamp.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Stamp {
    Of(i64),
    /// A stored timestamp that is not one of a transaction's entry, in hex.
    Unknown(String),
}

/// The form of names in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) written: Written,
    /// `true` on a line, where separators are escaped; `false` in a field of its own.
    pub(super) is_on_line: bool,
}

impl Names {
    fn word(self, bytes: &[u8]) -> String {
        match self.is_on_line {
            true => self.written.word(bytes),
            false => self.written.shown(bytes),
        }
    }
}

const UNKNOWN: &str = "UNKNOWN";
pub(super) const WRITE: &str = "WRITE";

impl Record {
    pub(super) fn of_cell(cell: &Cell, names: Names) -> Self {
        let column = &cell.key.column;
        Self {
            row: names.word(&cell.key.row),
            family: match names.is_on_line {
                true => names.written.family(&column.family),
                false => names.written.shown(&column.family),
            },
            qualifier: names.word(&column.qualifier),
            visibility: names.word(&column.visibility),
            timestamp: Stamp::Of(cell.key.timestamp),
            kind: None,
            value: names.written.shown(&cell.value),
        }
    }

    /// Creates the record of a stored entry. A part that cannot be decoded is in hex.
    pub(super) fn of_entry(cell: &Cell, names: Names) -> Self {
        let record = Self::of_cell(cell, names);
        if cell.key.column.family == NOTIFICATION_FAMILY.as_bytes() {
            record.into_notification(cell, names)
        } else {
            record.into_entry(cell, names.written)
        }
    }

    fn into_entry(mut self, cell: &Cell, written: Written) -> Self {
        let Some(stamp) = EntryTimestamp::decode(cell.key.timestamp) else {
            return self.into_unknown(cell);
        };
        let kind = stamp.kind;
        self.timestamp = Stamp::of(stamp.timestamp.get());
        self.kind = Some(name(kind));
        self.value = value(kind, cell, written).unwrap_or_else(|_| hex(&cell.value));
        self
    }

    fn into_notification(mut self, cell: &Cell, names: Names) -> Self {
        self.family = NOTIFICATION_FAMILY.to_owned();
        self.qualifier = match observed_column(&cell.key.column) {
            // Two names in one field, so separators are escaped in every format.
            Ok(observed) => format!(
                "{}:{}",
                names.written.family(&observed.family),
                names.word(&observed.qualifier)
            ),
            Err(_) => hex(&cell.key.column.qualifier),
        };
        let Some(stamp) = NotificationTimestamp::decode(cell.key.timestamp) else {
            return self.into_unknown(cell);
        };
        self.timestamp = Stamp::of(stamp.timestamp.get());
        self.kind = Some(if stamp.is_delete { "DELETE" } else { "INSERT" });
        self
    }

    fn into_unknown(mut self, cell: &Cell) -> Self {
        self.timestamp = Stamp::Unknown(format!("0x{:016x}", cell.key.timestamp));
        self.kind = Some(UNKNOWN);
        self.value = hex(&cell.value);
        self
    }
}

impl Stamp {
    fn of(timestamp: u64) -> Self {
        Self::Of(i64::try_from(timestamp).unwrap_or(i64::MAX))
    }
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Of(timestamp) => timestamp.fmt(f),
            Self::Unknown(hex) => f.write_str(hex),
        }
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

/// Formats a value in the words of Java Fluo.
fn value(kind: EntryKind, cell: &Cell, written: Written) -> Result<String> {
    let bytes = &cell.value;
    Ok(match kind {
        EntryKind::Write => write(WriteValue::decode(bytes)?),
        EntryKind::DelLock => del_lock(DelLockValue::decode(bytes)?),
        EntryKind::Lock => lock(&LockValue::decode(bytes)?, written),
        EntryKind::ReadLock => {
            let ReadLockValue { primary, transactor } = ReadLockValue::decode(bytes)?;
            held(&primary, &[], transactor, written)
        }
        EntryKind::DelReadLock => match DelReadLockValue::decode(bytes)? {
            DelReadLockValue::Committed(at) => format!("{at} COMMIT"),
            DelReadLockValue::RolledBack => "-1 ABORT".to_owned(),
        },
        EntryKind::TxDone | EntryKind::Ack | EntryKind::Data => written.shown(bytes),
    })
}

fn write(value: WriteValue) -> String {
    let delete = if value.is_delete { " DELETE" } else { "" };
    format!("{}{delete}{}", value.start, primary(value.is_primary))
}

fn del_lock(value: DelLockValue) -> String {
    let outcome = match value.outcome {
        DelLockOutcome::Committed => "COMMIT",
        DelLockOutcome::RolledBack => "ABORT",
    };
    format!("{outcome}{} {}", primary(value.is_primary), value.done)
}

fn primary(is_primary: bool) -> &'static str {
    if is_primary { " PRIMARY" } else { "" }
}

fn lock(value: &LockValue, written: Written) -> String {
    let flags = [
        if value.is_write { "WRITE" } else { "NOT_WRITE" },
        if value.is_delete { "DELETE" } else { "NOT_DELETE" },
        if value.is_trigger { "TRIGGER" } else { "NOT_TRIGGER" },
    ];
    held(&value.primary, &flags, value.transactor, written)
}

/// Formats the primary, the operation on the cell, and the owner of the lock.
fn held(primary: &RowColumn, flags: &[&str], transactor: TransactorId, written: Written) -> String {
    let RowColumn { row, column } = primary;
    let mut words = vec![
        written.word(row),
        written.family(&column.family),
        written.word(&column.qualifier),
        written.word(&column.visibility),
    ];
    words.extend(flags.iter().map(|flag| (*flag).to_owned()));
    words.push(transactor.to_string());
    words.join(" ")
}
