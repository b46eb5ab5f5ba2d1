//! The value of a `DEL_LOCK` entry.

use super::damage::unreadable;
use super::flagged::{self, PRIMARY};
use crate::data::{Bytes, Timestamp};
use crate::error::Result;

/// How a lock ended that left no write.
///
/// A byte of flags (1: primary, 2: rolled back) and a timestamp, 8 bytes, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DelLockValue {
    /// What became of the transaction.
    pub outcome: DelLockOutcome,
    /// Whether the cell is the primary of the transaction.
    pub is_primary: bool,
    /// The timestamp of the `TX_DONE` entry that says that the transaction has no lock left: its commit if it
    /// committed, its start if it rolled itself back, 0 if somebody else rolled it back, who cannot know.
    pub done: Timestamp,
}

/// What became of a transaction whose lock is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelLockOutcome {
    /// It committed, and wrote nothing in this cell.
    Committed,
    /// It was rolled back.
    RolledBack,
}

const ROLLED_BACK: u8 = 2;
const FORM: &str = "a byte of flags below 4 and a timestamp of 8 bytes";

impl DelLockValue {
    /// The bytes of the value.
    pub fn encode(&self) -> Bytes {
        let primary = if self.is_primary { PRIMARY } else { 0 };
        let outcome = match self.outcome {
            DelLockOutcome::Committed => 0,
            DelLockOutcome::RolledBack => ROLLED_BACK,
        };
        flagged::encode(primary | outcome, self.done)
    }

    /// Reads a value.
    ///
    /// # Errors
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no such value.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (flags, done) = flagged::decode(bytes, PRIMARY | ROLLED_BACK)
            .ok_or_else(|| unreadable("DEL_LOCK", bytes, FORM))?;
        let outcome = match flags & ROLLED_BACK {
            0 => DelLockOutcome::Committed,
            _ => DelLockOutcome::RolledBack,
        };
        Ok(Self {
            outcome,
            is_primary: flags & PRIMARY != 0,
            done,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::samples::{at, hex, timestamps};

    fn outcome(is_rolled_back: bool) -> DelLockOutcome {
        match is_rolled_back {
            true => DelLockOutcome::RolledBack,
            false => DelLockOutcome::Committed,
        }
    }

    #[test]
    fn ends_of_locks_are_written_as_fluo_writes_them() {
        let cases = [
            (false, true, 1001, "0100000000000003e9"),
            (true, false, 0, "020000000000000000"),
            (true, true, 1000, "0300000000000003e8"),
            (true, true, 0, "030000000000000000"),
        ];
        for (is_rolled_back, is_primary, done, bytes) in cases {
            let value = DelLockValue {
                outcome: outcome(is_rolled_back),
                is_primary,
                done: at(done),
            };
            assert_eq!(hex(&value.encode()), bytes);
        }
    }

    #[test]
    fn what_is_no_end_of_a_lock_is_refused_in_words() {
        assert_eq!(
            DelLockValue::decode(b"").unwrap_err().to_string(),
            "the value of a DEL_LOCK entry cannot be read: 0 bytes, ``; it should be a byte of flags below 4 and a \
             timestamp of 8 bytes"
        );
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(done in timestamps(), flags in any::<[bool; 2]>()) {
            let value = DelLockValue { outcome: outcome(flags[0]), is_primary: flags[1], done };
            prop_assert_eq!(DelLockValue::decode(&value.encode()).unwrap(), value);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(value) = DelLockValue::decode(&bytes) {
                prop_assert_eq!(value.encode(), bytes);
            }
        }
    }
}
