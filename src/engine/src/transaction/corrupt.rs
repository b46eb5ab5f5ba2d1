//! Damaged entries, which no client writes.
//!
//! The content of such an entry is lost, and no retry can decode it. A transaction that meets one
//! fails at once with [`Corrupt`](ErrorKind::Corrupt). This never counts as a conflict, which would
//! be retried.

use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, LockValue, ReadLockValue, WriteValue,
};
use fluo_table::{Cell, Error, ErrorKind, Result, RowColumn, Timestamp};

/// Checks the timestamp and the value of an entry, and returns its kind and timestamp. Returns
/// [`Corrupt`](ErrorKind::Corrupt) if no client writes such an entry.
pub(crate) fn checked(found: &Cell) -> Result<EntryTimestamp> {
    let stamp = stamp_of(found)?;
    let value = &found.value;
    let read = match stamp.kind {
        EntryKind::Write => WriteValue::decode(value).map(drop),
        EntryKind::DelLock => DelLockValue::decode(value).map(drop),
        EntryKind::Lock => LockValue::decode(value).map(drop),
        EntryKind::ReadLock => ReadLockValue::decode(value).map(drop),
        EntryKind::DelReadLock => DelReadLockValue::decode(value).map(drop),
        EntryKind::TxDone | EntryKind::Ack | EntryKind::Data => Ok(()),
    };
    read.map_err(|error| in_cell(found, error))?;
    Ok(stamp)
}

/// Returns the kind and timestamp of an entry, or [`Corrupt`](ErrorKind::Corrupt) if no entry has
/// this timestamp.
pub(crate) fn stamp_of(found: &Cell) -> Result<EntryTimestamp> {
    EntryTimestamp::decode(found.key.timestamp).ok_or_else(|| {
        let why = match found.key.timestamp.cast_unsigned() >> 61 {
            0b100 => "kind 100 does not exist".to_owned(),
            _ => format!("the number below the kind is more than {}", Timestamp::MAX),
        };
        in_cell(found, Error::corrupt(format!("its timestamp is invalid: {why}")))
    })
}

pub(crate) fn cell_of(found: &Cell) -> RowColumn {
    RowColumn::new(found.key.row.clone(), found.key.column.clone())
}

/// Adds the cell of a damaged entry to its error.
pub(crate) fn in_cell(found: &Cell, error: Error) -> Error {
    let (cell, stored) = (cell_of(found), found.key.timestamp);
    let message = format!("an entry of `{cell}` is damaged: {error} (stored at {stored})");
    Error::with_source(ErrorKind::Corrupt, message, error)
}

/// Returns the error for an entry that a filter should not show: it is damaged, or was not written
/// by a transaction.
pub(crate) fn unexpected(found: &Cell) -> Error {
    let Err(damage) = checked(found) else {
        return Error::corrupt(format!(
            "`{}` is neither data nor a lock; only transactions may write to the table",
            found.key
        ));
    };
    damage
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluo_table::{Column, Key};

    fn cell(stamp: i64, value: &'static str) -> Cell {
        Cell { key: Key::new("r", Column::new("f", "q"), stamp), value: value.into() }
    }

    #[test]
    fn names_the_cell_and_the_damage() {
        let ten = Timestamp::new(10).unwrap();
        let stamp = |kind| EntryTimestamp::new(kind, ten).encode();
        let said = |cell: &Cell| {
            let error = checked(cell).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(unexpected(cell).to_string(), error.to_string());
            error.to_string()
        };
        assert_eq!(
            said(&cell(stamp(EntryKind::DelLock), "x")),
            "an entry of `r f:q` is damaged: the value of a DEL_LOCK entry cannot be read: 1 byte, `x`; it should be a \
             byte of flags below 4 and a timestamp of 8 bytes (stored at 2305843009213693962)"
        );
        assert_eq!(
            said(&cell(i64::MIN, "")),
            "an entry of `r f:q` is damaged: its timestamp is invalid: kind 100 does not exist (stored at \
             -9223372036854775808)"
        );
        assert_eq!(
            said(&cell(i64::MAX, "")),
            "an entry of `r f:q` is damaged: its timestamp is invalid: the number below the kind is more than \
             1152921504606846975 (stored at 9223372036854775807)"
        );
        let sound = cell(stamp(EntryKind::Ack), "");
        assert!(checked(&sound).is_ok());
        assert_eq!(
            unexpected(&sound).to_string(),
            "`r f:q @-4611686018427387894` is neither data nor a lock; only transactions may write to the table"
        );
    }
}
