//! Entries that no client writes.
//!
//! What they say cannot be known, and no try after this one will read them: a transaction that meets one fails at once,
//! with [`Corrupt`](ErrorKind::Corrupt). It never counts as a conflict, which is retried.

use crate::data::{Cell, RowColumn, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryStamp, LockValue, ReadLockValue, WriteValue,
};

/// What an entry is.
///
/// # Errors
/// [`Corrupt`](ErrorKind::Corrupt): none that a client writes, by its timestamp or its value.
pub(crate) fn checked(found: &Cell) -> Result<EntryStamp> {
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

/// The timestamp of an entry.
///
/// # Errors
/// [`Corrupt`](ErrorKind::Corrupt): no entry has it.
pub(crate) fn stamp_of(found: &Cell) -> Result<EntryStamp> {
    EntryStamp::decode(found.key.timestamp).ok_or_else(|| {
        let why = match found.key.timestamp.cast_unsigned() >> 61 {
            0b100 => "there is no kind 100".to_owned(),
            _ => format!("below the kind stands more than {}", Timestamp::MAX),
        };
        let message = format!("its timestamp is that of no entry: {why}");
        in_cell(found, Error::new(ErrorKind::Corrupt, message))
    })
}

/// An error that says in which cell the damaged entry stands.
pub(crate) fn in_cell(found: &Cell, error: Error) -> Error {
    let cell = RowColumn::new(found.key.row.clone(), found.key.column.clone());
    let message = format!(
        "an entry of `{cell}` is damaged: {error} (stored at {})",
        found.key.timestamp
    );
    Error::with_source(ErrorKind::Corrupt, message, error)
}

/// The error for an entry that was shown where it has no place: damaged, or none that a filter shows of a table that
/// transactions wrote.
pub(crate) fn unexpected(found: &Cell) -> Error {
    let out_of_place = || {
        Error::new(
            ErrorKind::Corrupt,
            format!(
                "`{}` is neither data nor a lock; was it written by a transaction?",
                found.key
            ),
        )
    };
    checked(found).map_or_else(|damage| damage, |_| out_of_place())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Key};

    fn cell(stamp: i64, value: &'static str) -> Cell {
        Cell {
            key: Key::new("r", Column::new("f", "q"), stamp),
            value: value.into(),
        }
    }

    #[test]
    fn it_is_said_where_it_is_and_what_is_wrong() {
        let ten = Timestamp::new(10).unwrap();
        let stamp = |kind| EntryStamp::new(kind, ten).encode();
        let said = |cell: &Cell| {
            let error = checked(cell).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert_eq!(unexpected(cell).to_string(), error.to_string());
            error.to_string()
        };
        assert_eq!(
            said(&cell(stamp(EntryKind::DelLock), "x")),
            "an entry of `r f:q` is damaged: the value of a DEL_LOCK entry cannot be read: 1 bytes, `x`; it should be a \
             byte of flags below 4 and a timestamp of 8 bytes (stored at 2305843009213693962)"
        );
        assert_eq!(
            said(&cell(i64::MIN, "")),
            "an entry of `r f:q` is damaged: its timestamp is that of no entry: there is no kind 100 (stored at \
             -9223372036854775808)"
        );
        assert_eq!(
            said(&cell(i64::MAX, "")),
            "an entry of `r f:q` is damaged: its timestamp is that of no entry: below the kind stands more than \
             1152921504606846975 (stored at 9223372036854775807)"
        );
        let sound = cell(stamp(EntryKind::Ack), "");
        assert!(checked(&sound).is_ok());
        assert_eq!(
            unexpected(&sound).to_string(),
            "`r f:q @-4611686018427387894` is neither data nor a lock; was it written by a transaction?"
        );
    }
}
