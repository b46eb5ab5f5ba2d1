//! The values of `RLOCK` and `DEL_RLOCK` entries.

use super::decode_error::unreadable;
use super::lock::{parts, place};
use super::vint::{concat, split};
use crate::data::{Bytes, RowColumn, Timestamp, TransactorId};
use crate::error::Result;

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

/// The end of a read lock.
///
/// ```text
/// 00 commit timestamp     8 bytes, big-endian
/// 01                      rolled back
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelReadLockValue {
    /// Its transaction committed at this timestamp.
    Committed(Timestamp),
    /// Its transaction was rolled back.
    RolledBack,
}

const COMMITTED: u8 = 0;
const ROLLED_BACK: u8 = 1;
const DEL_READ_LOCK_FORM: &str = "the byte 0 and a commit timestamp of 8 bytes, or the byte 1";

impl DelReadLockValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        match self {
            Self::Committed(commit) => {
                let bytes = [&[COMMITTED][..], &commit.get().to_be_bytes()].concat();
                bytes.into()
            }
            Self::RolledBack => Bytes::from_static(&[ROLLED_BACK]),
        }
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let read = match bytes {
            [ROLLED_BACK] => Some(Self::RolledBack),
            [COMMITTED, commit @ ..] => commit
                .try_into()
                .ok()
                .and_then(|commit| Timestamp::from_bits(u64::from_be_bytes(commit)))
                .map(Self::Committed),
            _ => None,
        };
        read.ok_or_else(|| unreadable("DEL_RLOCK", bytes, DEL_READ_LOCK_FORM))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Column;
    use crate::layout::test_data::{at, hex, places, timestamps};

    #[test]
    fn encodes_read_locks_as_fluo_does() {
        let value = ReadLockValue {
            primary: RowColumn::new("r", Column::new("f", "q")),
            transactor: TransactorId(35),
        };
        assert_eq!(hex(&value.encode()), "01720166017100080000000000000023");
        let committed = DelReadLockValue::Committed(at(1001));
        assert_eq!(hex(&committed.encode()), "0000000000000003e9");
        assert_eq!(hex(&DelReadLockValue::RolledBack.encode()), "01");
    }

    #[test]
    fn rejects_other_bytes_with_a_description() {
        assert_eq!(
            ReadLockValue::decode(b"\x01r").unwrap_err().to_string(),
            "the value of a RLOCK entry cannot be read: 2 bytes, `\\x01r`; it should be a primary and a transactor \
             of 8 bytes, each after its length"
        );
        assert_eq!(
            DelReadLockValue::decode(b"\x00\x01").unwrap_err().to_string(),
            "the value of a DEL_RLOCK entry cannot be read: 2 bytes, `\\x00\\x01`; it should be the byte 0 and a \
             commit timestamp of 8 bytes, or the byte 1"
        );
        for bytes in [&[][..], &[1, 0], &[2], &[0, 0xff, 0, 0, 0, 0, 0, 0, 0]] {
            assert!(DelReadLockValue::decode(bytes).is_err(), "{bytes:02x?}");
        }
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(primary in places(), transactor in any::<u64>(), commit in timestamps()) {
            let value = ReadLockValue { primary, transactor: TransactorId(transactor) };
            prop_assert_eq!(ReadLockValue::decode(&value.encode()).unwrap(), value);
            for value in [DelReadLockValue::Committed(commit), DelReadLockValue::RolledBack] {
                prop_assert_eq!(DelReadLockValue::decode(&value.encode()).unwrap(), value);
            }
        }

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in any::<Vec<u8>>()) {
            let _ = ReadLockValue::decode(&bytes);
            if let Ok(value) = DelReadLockValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes);
            }
        }
    }
}
