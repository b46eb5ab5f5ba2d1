//! The value of a `DEL_LOCK` entry.

use super::decode_error::unreadable;
use super::flagged::{self, PRIMARY};
use crate::data::{Bytes, Timestamp};
use crate::error::Result;

/// The end of a lock that left no write.
///
/// It consists of a byte of flags (1: primary, 2: rolled back) and a timestamp, 8 bytes,
/// big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelLockValue {
    /// The outcome of the transaction.
    pub outcome: DelLockOutcome,
    /// True if the cell is the primary of the transaction.
    pub is_primary: bool,
    /// The timestamp of the `TX_DONE` entry which says that the transaction has no lock left: its
    /// commit if it committed, its start if it rolled itself back, 0 if another transaction rolled
    /// it back, which cannot know whether other locks are left.
    pub done: Timestamp,
}

/// The outcome of a transaction whose lock has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelLockOutcome {
    /// It committed, and wrote no value in this cell.
    Committed,
    /// It was rolled back.
    RolledBack,
}

const ROLLED_BACK: u8 = 2;
const FORM: &str = "a byte of flags below 4 and a timestamp of 8 bytes";

impl DelLockValue {
    /// Returns the bytes of the value.
    pub fn encode(&self) -> Bytes {
        let primary = if self.is_primary { PRIMARY } else { 0 };
        let outcome = match self.outcome {
            DelLockOutcome::Committed => 0,
            DelLockOutcome::RolledBack => ROLLED_BACK,
        };
        flagged::encode(primary | outcome, self.done)
    }

    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (flags, done) = flagged::decode(bytes, PRIMARY | ROLLED_BACK)
            .ok_or_else(|| unreadable("DEL_LOCK", bytes, FORM))?;
        let outcome = match flags & ROLLED_BACK {
            0 => DelLockOutcome::Committed,
            _ => DelLockOutcome::RolledBack,
        };
        Ok(Self { outcome, is_primary: flags & PRIMARY != 0, done })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::test_data::{at, hex, timestamps};

    fn outcome(is_rolled_back: bool) -> DelLockOutcome {
        if is_rolled_back { DelLockOutcome::RolledBack } else { DelLockOutcome::Committed }
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
            let value =
                DelLockValue { outcome: outcome(is_rolled_back), is_primary, done: at(done) };
            assert_eq!(hex(&value.encode()), bytes);
        }
    }

    #[test]
    fn rejects_other_bytes_with_a_description() {
        assert_eq!(
            DelLockValue::decode(b"").unwrap_err().to_string(),
            "the value of a DEL_LOCK entry cannot be read: 0 bytes, ``; it should be a byte of flags below 4 and a \
             timestamp of 8 bytes"
        );
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(done in timestamps(), flags in any::<[bool; 2]>()) {
            let value = DelLockValue { outcome: outcome(flags[0]), is_primary: flags[1], done };
            prop_assert_eq!(DelLockValue::decode(&value.encode()).unwrap(), value);
        }

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(value) = DelLockValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes);
            }
        }
    }
}
