//! The values of the entries that end a lock: `WRITE`, `DEL_LOCK` and `DEL_RLOCK`.
//!
//! The first two have a common form:
//!
//! ```text
//! flags       1 byte: 1 at the primary of the transaction; 2: see each
//! timestamp   8 bytes, big-endian
//! ```

use crate::data::{Bytes, Excerpt, Timestamp, counted};
use crate::error::{Error, Result};

const PRIMARY: u8 = 1;
const SECOND: u8 = 2;

/// The content of a committed write: the value that it commits, and whether the cell is the
/// primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WriteValue {
    /// The start timestamp of the transaction, which is the timestamp of its value.
    pub start: Timestamp,
    /// True if the cell is the primary of the transaction.
    pub is_primary: bool,
    /// True if the cell was deleted, and so has no value.
    pub is_delete: bool,
}

const WRITE_FORM: &str = "a byte of flags below 4 and a start timestamp of 8 bytes";

impl WriteValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        encode_flags(self.is_primary, self.is_delete, self.start)
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (is_primary, is_delete, start) =
            decode_flags(bytes).ok_or_else(|| unreadable("WRITE", bytes, WRITE_FORM))?;
        Ok(Self { start, is_primary, is_delete })
    }
}

/// The end of a lock that left no write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelLockValue {
    /// True if the transaction was rolled back; false if it committed, and wrote no value in this
    /// cell.
    pub is_rolled_back: bool,
    /// True if the cell is the primary of the transaction.
    pub is_primary: bool,
    /// The timestamp of the `TX_DONE` entry which says that the transaction has no lock left: its
    /// commit if it committed, its start if it rolled itself back, 0 if another transaction rolled
    /// it back, which cannot know whether other locks are left.
    pub done: Timestamp,
}

const DEL_LOCK_FORM: &str = "a byte of flags below 4 and a timestamp of 8 bytes";

impl DelLockValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        encode_flags(self.is_primary, self.is_rolled_back, self.done)
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (is_primary, is_rolled_back, done) =
            decode_flags(bytes).ok_or_else(|| unreadable("DEL_LOCK", bytes, DEL_LOCK_FORM))?;
        Ok(Self { is_rolled_back, is_primary, done })
    }
}

fn encode_flags(is_primary: bool, is_second: bool, timestamp: Timestamp) -> Bytes {
    let flags = (u8::from(is_primary) * PRIMARY) | (u8::from(is_second) * SECOND);
    [&[flags][..], &timestamp.get().to_be_bytes()].concat().into()
}

fn decode_flags(bytes: &[u8]) -> Option<(bool, bool, Timestamp)> {
    let (&[flags], timestamp) = bytes.split_first_chunk()?;
    let is_known = flags & !(PRIMARY | SECOND) == 0;
    let timestamp = decode_timestamp(timestamp).filter(|_| is_known)?;
    Some((flags & PRIMARY != 0, flags & SECOND != 0, timestamp))
}

fn decode_timestamp(bytes: &[u8]) -> Option<Timestamp> {
    Timestamp::from_bits(u64::from_be_bytes(bytes.try_into().ok()?))
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
                [&[COMMITTED][..], &commit.get().to_be_bytes()].concat().into()
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
            [COMMITTED, commit @ ..] => decode_timestamp(commit).map(Self::Committed),
            _ => None,
        };
        read.ok_or_else(|| unreadable("DEL_RLOCK", bytes, DEL_READ_LOCK_FORM))
    }
}

/// Creates the error for a value of `kind` that cannot be decoded; `form` describes the valid form.
pub(super) fn unreadable(kind: &str, bytes: &[u8], form: &str) -> Error {
    Error::corrupt(format!(
        "the value of a {kind} entry cannot be read: {}, {}; it should be {form}",
        counted(bytes.len(), "byte"),
        Excerpt::new(bytes)
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::test_data::{at, hex, timestamps};

    #[test]
    fn encodes_writes_as_fluo_does() {
        let write = |is_primary, is_delete| WriteValue { start: at(1000), is_primary, is_delete };
        assert_eq!(hex(&write(true, false).encode()), "0100000000000003e8");
        assert_eq!(hex(&write(false, true).encode()), "0200000000000003e8");
    }

    #[test]
    fn encodes_the_end_of_a_lock_as_fluo_does() {
        let cases = [
            (false, true, 1001, "0100000000000003e9"),
            (true, false, 0, "020000000000000000"),
            (true, true, 1000, "0300000000000003e8"),
            (true, true, 0, "030000000000000000"),
        ];
        for (is_rolled_back, is_primary, done, bytes) in cases {
            let value = DelLockValue { is_rolled_back, is_primary, done: at(done) };
            assert_eq!(hex(&value.encode()), bytes);
        }
        let committed = DelReadLockValue::Committed(at(1001));
        assert_eq!(hex(&committed.encode()), "0000000000000003e9");
        assert_eq!(hex(&DelReadLockValue::RolledBack.encode()), "01");
    }

    #[test]
    fn rejects_other_bytes_with_a_description() {
        assert_eq!(
            WriteValue::decode(b"\x04").unwrap_err().to_string(),
            "the value of a WRITE entry cannot be read: 1 byte, `\\x04`; it should be a byte of flags below 4 and a \
             start timestamp of 8 bytes"
        );
        for bytes in [[4, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0x10, 0, 0, 0, 0, 0, 0, 0]] {
            assert!(WriteValue::decode(&bytes).is_err(), "{bytes:02x?}");
        }
        assert_eq!(
            DelLockValue::decode(b"").unwrap_err().to_string(),
            "the value of a DEL_LOCK entry cannot be read: 0 bytes, ``; it should be a byte of flags below 4 and a \
             timestamp of 8 bytes"
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
        fn decodes_what_it_encodes(timestamp in timestamps(), flags in any::<[bool; 2]>()) {
            let write = WriteValue { start: timestamp, is_primary: flags[0], is_delete: flags[1] };
            prop_assert_eq!(WriteValue::decode(&write.encode()).unwrap(), write);
            let end = DelLockValue { is_rolled_back: flags[1], is_primary: flags[0], done: timestamp };
            prop_assert_eq!(DelLockValue::decode(&end.encode()).unwrap(), end);
            for end in [DelReadLockValue::Committed(timestamp), DelReadLockValue::RolledBack] {
                prop_assert_eq!(DelReadLockValue::decode(&end.encode()).unwrap(), end);
            }
        }

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(value) = WriteValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes.clone());
            }
            if let Ok(value) = DelLockValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes.clone());
            }
            if let Ok(value) = DelReadLockValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes);
            }
        }
    }
}
