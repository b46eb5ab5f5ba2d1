//! The value of a `WRITE` entry.

use super::decode_error::unreadable;
use super::flagged::{self, PRIMARY};
use crate::data::{Bytes, Timestamp};
use crate::error::Result;

/// The content of a committed write: the value that it commits, and whether the cell is the
/// primary.
///
/// It consists of a byte of flags (1: primary, 2: delete) and the start timestamp, 8 bytes,
/// big-endian.
///
/// # Examples
///
/// ```
/// use fluo_table::Timestamp;
/// use fluo_table::layout::WriteValue;
///
/// # fn main() -> fluo_table::Result<()> {
/// let start = Timestamp::new(1000)?;
/// let write = WriteValue { start, is_primary: true, is_delete: false };
/// assert_eq!(write.encode().as_ref(), b"\x01\0\0\0\0\0\0\x03\xe8");
/// assert_eq!(WriteValue::decode(&write.encode())?, write);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WriteValue {
    /// The start timestamp of the transaction, which is the timestamp of its value.
    pub start: Timestamp,
    /// True if the cell is the primary of the transaction.
    pub is_primary: bool,
    /// True if the cell was deleted, and so has no value.
    pub is_delete: bool,
}

const DELETE: u8 = 2;
const FORM: &str = "a byte of flags below 4 and a start timestamp of 8 bytes";

impl WriteValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        let primary = if self.is_primary { PRIMARY } else { 0 };
        let delete = if self.is_delete { DELETE } else { 0 };
        flagged::encode(primary | delete, self.start)
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (flags, start) = flagged::decode(bytes, PRIMARY | DELETE)
            .ok_or_else(|| unreadable("WRITE", bytes, FORM))?;
        Ok(Self { start, is_primary: flags & PRIMARY != 0, is_delete: flags & DELETE != 0 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::test_data::{at, hex, timestamps};

    fn write(start: Timestamp, is_primary: bool, is_delete: bool) -> WriteValue {
        WriteValue { start, is_primary, is_delete }
    }

    #[test]
    fn encodes_writes_as_fluo_does() {
        let bytes = |is_primary, is_delete| hex(&write(at(1000), is_primary, is_delete).encode());
        assert_eq!(bytes(true, false), "0100000000000003e8");
        assert_eq!(bytes(false, true), "0200000000000003e8");
    }

    #[test]
    fn rejects_other_bytes_with_a_description() {
        assert_eq!(
            WriteValue::decode(b"\x04").unwrap_err().to_string(),
            "the value of a WRITE entry cannot be read: 1 bytes, `\\x04`; it should be a byte of flags below 4 and a \
             start timestamp of 8 bytes"
        );
        for bytes in [[4, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0x10, 0, 0, 0, 0, 0, 0, 0]] {
            assert!(WriteValue::decode(&bytes).is_err(), "{bytes:02x?}");
        }
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(start in timestamps(), flags in any::<[bool; 2]>()) {
            let value = write(start, flags[0], flags[1]);
            prop_assert_eq!(WriteValue::decode(&value.encode()).unwrap(), value);
        }

        #[test]
        fn any_bytes_are_a_write_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(value) = WriteValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes);
            }
        }
    }
}
