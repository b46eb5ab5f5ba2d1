//! The timestamp of a stored entry, which encodes the kind of the entry and a timestamp of the
//! oracle.
//!
//! ```text
//!  63  61 60                                                        0
//! +------+-----------------------------------------------------------+
//! | kind | timestamp of the oracle                                   |
//! +------+-----------------------------------------------------------+
//! | 000  | timestamp                                      | is delete|   read locks only
//! +------+-----------------------------------------------------------+
//! ```
//!
//! | order in a column | kind | bits | the timestamp is |
//! |---|---|---|---|
//! | 1 | `TX_DONE` | 011 | the commit of the transaction, or its start if it rolled itself back |
//! | 2 | `WRITE` | 010 | the commit |
//! | 3 | `DEL_LOCK` | 001 | the start of the lock that ended |
//! | 4 | `RLOCK`, `DEL_RLOCK` | 000 | the start; at one start the delete comes first |
//! | 5 | `LOCK` | 111 | the start |
//! | 6 | `ACK` | 110 | the start of the transaction that acknowledged a notification |
//! | 7 | `DATA` | 101 | the start |
//!
//! A table sorts the timestamps of a column as signed numbers, the largest first, which yields the
//! order above: a reader finds the entries that decide about a value before it finds the value. The
//! bits 100 are not used.

use crate::data::Timestamp;

/// The purpose of an entry of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// The transaction has no lock left anywhere.
    TxDone,
    /// A value, or its deletion, is committed.
    Write,
    /// A lock ended without a write: it was rolled back, or committed by a transaction that wrote
    /// nothing here.
    DelLock,
    /// A transaction requires that the cell does not change until it has committed.
    ReadLock,
    /// A read lock ended.
    DelReadLock,
    /// A transaction is about to write the cell.
    Lock,
    /// A notification was processed.
    Ack,
    /// A value, committed or not.
    Data,
}

/// The timestamp of a stored entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryTimestamp {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The timestamp of the oracle.
    pub timestamp: Timestamp,
}

/// The number of bits below the kind.
const LOW_BITS: u32 = 61;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;

impl EntryKind {
    const fn bits(self) -> u64 {
        match self {
            Self::TxDone => 0b011,
            Self::Write => 0b010,
            Self::DelLock => 0b001,
            Self::ReadLock | Self::DelReadLock => 0b000,
            Self::Lock => 0b111,
            Self::Ack => 0b110,
            Self::Data => 0b101,
        }
    }

    /// Returns the stamp of an entry of this kind, given any number as its timestamp.
    pub(super) const fn stamp(self, timestamp: u64) -> i64 {
        let low = match self {
            Self::ReadLock => timestamp << 1,
            Self::DelReadLock => (timestamp << 1) | 1,
            _ => timestamp,
        };
        ((self.bits() << LOW_BITS) | (low & LOW_MASK)).cast_signed()
    }

    /// Returns the newest stamp that an entry with the bits of this kind can have.
    pub(super) const fn newest(self) -> i64 {
        ((self.bits() << LOW_BITS) | LOW_MASK).cast_signed()
    }

    /// Splits a stamp into the kind of its entry and the timestamp, which may be above
    /// [`Timestamp::MAX`]. Returns `None` for unused bits.
    pub(super) const fn split(stamp: i64) -> Option<(Self, u64)> {
        let bits = stamp.cast_unsigned();
        let low = bits & LOW_MASK;
        Some(match bits >> LOW_BITS {
            0b011 => (Self::TxDone, low),
            0b010 => (Self::Write, low),
            0b001 => (Self::DelLock, low),
            0b000 if low & 1 == 0 => (Self::ReadLock, low >> 1),
            0b000 => (Self::DelReadLock, low >> 1),
            0b111 => (Self::Lock, low),
            0b110 => (Self::Ack, low),
            0b101 => (Self::Data, low),
            _ => return None,
        })
    }
}

impl EntryTimestamp {
    /// Creates the stamp of an entry of this kind.
    pub const fn new(kind: EntryKind, timestamp: Timestamp) -> Self {
        Self { kind, timestamp }
    }

    /// Returns the timestamp with which the entry is stored.
    pub const fn encode(self) -> i64 {
        self.kind.stamp(self.timestamp.get())
    }

    /// Decodes the timestamp of a stored entry. Returns `None` if no entry can have it, because its
    /// kind is not used or it is above [`Timestamp::MAX`].
    pub fn decode(stamp: i64) -> Option<Self> {
        let (kind, timestamp) = EntryKind::split(stamp)?;
        Some(Self { kind, timestamp: Timestamp::from_bits(timestamp)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All kinds in the order in which a column stores them.
    const KINDS: [(EntryKind, u64); 8] = [
        (EntryKind::TxDone, 0x6000_0000_0000_000a),
        (EntryKind::Write, 0x4000_0000_0000_000a),
        (EntryKind::DelLock, 0x2000_0000_0000_000a),
        (EntryKind::DelReadLock, 0x0000_0000_0000_0015),
        (EntryKind::ReadLock, 0x0000_0000_0000_0014),
        (EntryKind::Lock, 0xe000_0000_0000_000a),
        (EntryKind::Ack, 0xc000_0000_0000_000a),
        (EntryKind::Data, 0xa000_0000_0000_000a),
    ];

    fn kinds() -> impl Strategy<Value = EntryKind> {
        proptest::sample::select(KINDS.map(|(kind, _)| kind).to_vec())
    }

    fn timestamps() -> impl Strategy<Value = Timestamp> {
        (0..=Timestamp::MAX.get()).prop_map(|number| Timestamp::new(number).unwrap())
    }

    #[test]
    fn encodes_stamps_at_ten_as_fluo_does_in_their_order() {
        let ten = Timestamp::new(10).unwrap();
        let stamps = KINDS.map(|(kind, _)| EntryTimestamp::new(kind, ten).encode());
        assert_eq!(stamps.map(i64::cast_unsigned), KINDS.map(|(_, bits)| bits));
        assert!(stamps.windows(2).all(|pair| pair[0] > pair[1]));
        assert_eq!(stamps[5], -2_305_843_009_213_693_942);
        assert_eq!(stamps[6], -4_611_686_018_427_387_894);
        assert_eq!(stamps[7], -6_917_529_027_641_081_846);
    }

    #[test]
    fn an_unused_kind_and_a_timestamp_of_61_bits_are_none() {
        assert_eq!(EntryTimestamp::decode(i64::MIN), None);
        assert_eq!(EntryTimestamp::decode(EntryKind::Write.newest()), None);
        let most = EntryTimestamp::new(EntryKind::DelReadLock, Timestamp::MAX);
        assert_eq!(EntryTimestamp::decode(EntryKind::ReadLock.newest()), Some(most));
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(kind in kinds(), timestamp in timestamps()) {
            let stamp = EntryTimestamp::new(kind, timestamp);
            prop_assert_eq!(EntryTimestamp::decode(stamp.encode()), Some(stamp));
        }

        #[test]
        fn every_number_is_a_stamp_or_none(number in any::<i64>()) {
            if let Some(stamp) = EntryTimestamp::decode(number) {
                prop_assert_eq!(stamp.encode(), number);
            }
        }

        #[test]
        fn within_a_kind_the_newest_comes_first(kind in kinds(), a in timestamps(), b in timestamps()) {
            let stamp = |timestamp| EntryTimestamp::new(kind, timestamp).encode();
            prop_assert_eq!(stamp(a).cmp(&stamp(b)), a.cmp(&b));
        }
    }
}
