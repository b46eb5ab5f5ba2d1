//! The values of `LOCK` and `RLOCK` entries.

use super::vint::{concat, split};
use super::write::unreadable;
use crate::data::{Bytes, Column, RowColumn, TransactorId};
use crate::error::Result;

/// The content of a lock: its primary, its holder, and the planned change of the cell.
///
/// A commit compares it byte by byte with the bytes that it wrote, so the encoding is
/// deterministic.
///
/// ```text
/// row, family, qualifier, visibility of the primary     each after its length
/// 01 flags                                              1: write, 2: delete, 4: trigger
/// 08 transactor                                         8 bytes, big-endian
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LockValue {
    /// The cell whose write decides the outcome of the transaction.
    pub primary: RowColumn,
    /// The transactor that holds the lock.
    pub transactor: TransactorId,
    /// True if the cell is written, false if it is only acknowledged.
    pub is_write: bool,
    /// True if the write is a deletion.
    pub is_delete: bool,
    /// True if the notification of the cell started the transaction.
    pub is_trigger: bool,
}

const WRITE: u8 = 1;
const DELETE: u8 = 2;
const TRIGGER: u8 = 4;

const LOCK_FORM: &str =
    "a primary, one byte of flags below 8 and a transactor of 8 bytes, each after its length";

impl LockValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = flag(self.is_write, WRITE)
            | flag(self.is_delete, DELETE)
            | flag(self.is_trigger, TRIGGER);
        let [row, family, qualifier, visibility] = parts(&self.primary);
        let transactor = self.transactor.0.to_be_bytes();
        concat([row, family, qualifier, visibility, &[flags], &transactor]).into()
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let read = || {
            let [row, family, qualifier, visibility, flags, transactor] = split(bytes)?;
            let &[flags] = flags else { return None };
            let is_known = flags & !(WRITE | DELETE | TRIGGER) == 0;
            is_known.then_some(Self {
                primary: place([row, family, qualifier, visibility]),
                transactor: TransactorId(u64::from_be_bytes(transactor.try_into().ok()?)),
                is_write: flags & WRITE != 0,
                is_delete: flags & DELETE != 0,
                is_trigger: flags & TRIGGER != 0,
            })
        };
        read().ok_or_else(|| unreadable("LOCK", bytes, LOCK_FORM))
    }
}

/// The content of a read lock: its primary and its holder.
///
/// ```text
/// row, family, qualifier, visibility of the primary     each after its length
/// 08 transactor                                         8 bytes, big-endian
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadLockValue {
    /// The cell whose write decides the outcome of the transaction.
    pub primary: RowColumn,
    /// The transactor that holds the lock.
    pub transactor: TransactorId,
}

const READ_LOCK_FORM: &str = "a primary and a transactor of 8 bytes, each after its length";

impl ReadLockValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        let [row, family, qualifier, visibility] = parts(&self.primary);
        let transactor = self.transactor.0.to_be_bytes();
        concat([row, family, qualifier, visibility, &transactor]).into()
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let read = || {
            let [row, family, qualifier, visibility, transactor] = split(bytes)?;
            Some(Self {
                primary: place([row, family, qualifier, visibility]),
                transactor: TransactorId(u64::from_be_bytes(transactor.try_into().ok()?)),
            })
        };
        read().ok_or_else(|| unreadable("RLOCK", bytes, READ_LOCK_FORM))
    }
}

fn parts(place: &RowColumn) -> [&[u8]; 4] {
    let RowColumn { row, column } = place;
    [row, &column.family, &column.qualifier, &column.visibility]
}

fn place(parts: [&[u8]; 4]) -> RowColumn {
    let [row, family, qualifier, visibility] = parts.map(Bytes::copy_from_slice);
    let column = Column { family, qualifier, visibility };
    RowColumn { row, column }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::test_data::{hex, places};

    fn lock(primary: RowColumn, transactor: u64, flags: [bool; 3]) -> LockValue {
        let [is_write, is_delete, is_trigger] = flags;
        LockValue { primary, transactor: TransactorId(transactor), is_write, is_delete, is_trigger }
    }

    #[test]
    fn encodes_locks_as_fluo_does() {
        let seen = Column::new("fam", "qual").with_visibility("A|B");
        let short = || RowColumn::new("r", Column::new("f", "q"));
        let cases = [
            (
                lock(RowColumn::new("row1", seen), 35, [true, false, false]),
                "04726f77310366616d047175616c03417c420101080000000000000023",
            ),
            (lock(short(), 1, [true, true, false]), "017201660171000103080000000000000001"),
            (lock(short(), u64::MAX, [false, false, true]), "01720166017100010408ffffffffffffffff"),
        ];
        for (value, bytes) in cases {
            assert_eq!(hex(&value.encode()), bytes);
            assert_eq!(LockValue::decode(&value.encode()).unwrap(), value);
        }
        let read_lock = ReadLockValue { primary: short(), transactor: TransactorId(35) };
        assert_eq!(hex(&read_lock.encode()), "01720166017100080000000000000023");
        let long = RowColumn::new(vec![b'a'; 200], Column::new("f", "q"));
        let bytes = lock(long, 1, [true, false, false]).encode();
        assert!(hex(&bytes).starts_with("8fc8616161"));
    }

    #[test]
    fn rejects_other_bytes_with_a_description() {
        let value = lock(RowColumn::default(), 1, [false; 3]).encode();
        let mut unknown_flag = value.to_vec();
        unknown_flag[5] = 8;
        for bytes in [&b""[..], &value[1..], &unknown_flag] {
            let error = LockValue::decode(bytes).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
        }
        assert_eq!(
            LockValue::decode(&[b'x'; 100]).unwrap_err().to_string(),
            format!(
                "the value of a LOCK entry cannot be read: 100 bytes, `{}`.. (60 of 100 bytes); it should be a \
                 primary, one byte of flags below 8 and a transactor of 8 bytes, each after its length",
                "x".repeat(60)
            )
        );
        assert_eq!(
            ReadLockValue::decode(b"\x01r").unwrap_err().to_string(),
            "the value of a RLOCK entry cannot be read: 2 bytes, `\\x01r`; it should be a primary and a transactor \
             of 8 bytes, each after its length"
        );
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(primary in places(), transactor in any::<u64>(), flags in any::<[bool; 3]>()) {
            let value = lock(primary.clone(), transactor, flags);
            prop_assert_eq!(LockValue::decode(&value.encode()).unwrap(), value);
            let value = ReadLockValue { primary, transactor: TransactorId(transactor) };
            prop_assert_eq!(ReadLockValue::decode(&value.encode()).unwrap(), value);
        }

        #[test]
        fn any_bytes_are_a_lock_or_rejected(bytes in any::<Vec<u8>>()) {
            let _ = (LockValue::decode(&bytes), ReadLockValue::decode(&bytes));
        }
    }
}
