//! Notifications: their columns, their timestamps, and their assignment to workers.
//!
//! A notification is stored in the row of the observed cell, in a separate family, and with the
//! visibility of the observed column. Its value is empty. Its timestamp has no kind:
//!
//! ```text
//!  63                                                             1   0
//! +----------------------------------------------------------------+---+
//! | timestamp of the oracle                                        | d |   d: 1 for a deletion
//! +----------------------------------------------------------------+---+
//! ```
//!
//! The newest entry of a column decides whether a notification is pending. A notification that was
//! set at a timestamp is deleted by every deletion at that timestamp or later.

use std::num::NonZeroU32;

use super::vint::{concat, split};
use crate::data::{Bytes, Column, Timestamp};
use crate::error::{Error, Result};

/// The family of notifications. No other data may be written to it.
pub const NOTIFICATION_FAMILY: &str = "ntfy";

/// Returns the column that stores the notifications of an observed column.
///
/// Its qualifier consists of the family and the qualifier of the observed column, each after its
/// length:
///
/// ```text
/// 04 s t a t 05 c o u n t
/// ```
pub fn notification_column(observed: &Column) -> Column {
    Column {
        family: Bytes::from_static(NOTIFICATION_FAMILY.as_bytes()),
        qualifier: concat([&observed.family, &observed.qualifier]).into(),
        visibility: observed.visibility.clone(),
    }
}

/// Returns the observed column of a column of notifications.
///
/// # Errors
///
/// [`Corrupt`](crate::ErrorKind::Corrupt) if [`notification_column`] would not return this column.
pub fn observed_column(notification: &Column) -> Result<Column> {
    let bytes = &notification.qualifier;
    let [family, qualifier] = split(bytes)
        .filter(|_| notification.family == NOTIFICATION_FAMILY)
        .ok_or_else(|| {
            Error::corrupt(format!(
                "`{notification}` is not a column of notifications, with the family `{NOTIFICATION_FAMILY}` and an observed column"
            ))
        })?;
    Ok(Column {
        family: bytes.slice_ref(family),
        qualifier: bytes.slice_ref(qualifier),
        visibility: notification.visibility.clone(),
    })
}

/// The timestamp of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NotificationTimestamp {
    /// The commit timestamp of the transaction that wrote the observed cell; for a deletion, the
    /// start timestamp of the one that processed the notification.
    pub timestamp: Timestamp,
    /// True for a deletion of notifications.
    pub is_delete: bool,
}

impl NotificationTimestamp {
    /// Returns the timestamp with which the entry is stored.
    pub const fn encode(self) -> i64 {
        let bits = (self.timestamp.get() << 1) | self.is_delete as u64;
        bits.cast_signed()
    }

    /// Decodes the timestamp of a stored entry; `None` if no notification can have it.
    pub fn decode(stamp: i64) -> Option<Self> {
        let bits = u64::try_from(stamp).ok()?;
        Some(Self { timestamp: Timestamp::from_bits(bits >> 1)?, is_delete: is_deletion(stamp) })
    }
}

/// Checks whether the entry with this stamp is a deletion. Accepts any number.
pub(crate) const fn is_deletion(stamp: i64) -> bool {
    stamp & 1 == 1
}

/// Returns the garbage in a column of notifications, which has entries with these timestamps in
/// stored order: all entries except the newest, and the newest too if it is a deletion. `is_full`
/// means that no entries of the column are stored elsewhere.
///
/// If other entries may be stored elsewhere, a deletion is dropped only together with the
/// notification that it deletes: that is, if below it notifications and deletions alternate, down
/// to a notification. Otherwise it is kept, and dropped when the whole column is processed.
pub fn notification_garbage(mut stamps: Vec<i64>, is_full: bool) -> Vec<i64> {
    let deletions = || stamps.iter().map(|stamp| is_deletion(*stamp));
    let alternate = || deletions().zip(deletions().skip(1)).all(|(newer, older)| newer != older);
    let is_settled = is_full || (deletions().next_back() == Some(false) && alternate());
    let keeps_newest = deletions().next().is_some_and(|is_deletion| !is_deletion || !is_settled);
    if keeps_newest {
        stamps.remove(0);
    }
    stamps
}

/// Returns the hash that divides the notifications of a range among workers, as Fluo computes it.
fn notification_hash(row: &[u8], qualifier: &[u8]) -> i32 {
    hash(row).wrapping_add(hash(qualifier))
}

/// Checks whether a notification is in none of the parts that Fluo divides notifications into,
/// unless the number of parts is a power of two: then it is in part 0.
///
/// Its hash is the lowest number, whose absolute value does not exist. This is so for about one
/// cell in four billion.
pub fn is_unpartitioned(row: &[u8], qualifier: &[u8]) -> bool {
    notification_hash(row, qualifier) == i32::MIN
}

/// Returns 31 times the previous hash plus the signed byte, folded over all bytes, starting with 1.
fn hash(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1, |hash: i32, byte| {
        hash.wrapping_mul(31).wrapping_add(i32::from(byte.cast_signed()))
    })
}

/// One of the equal parts of the notifications of a range: those whose hash has this remainder, as
/// Fluo's filter on the servers computes it.
///
/// Every notification is in exactly one of the parts, except an [unpartitioned](is_unpartitioned)
/// one. A [`Share`](crate::coordination::Share) can contain these too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    divisor: NonZeroU32,
    remainder: u32,
}

impl Partition {
    /// The maximum number of parts that a server accepts: the largest signed 32-bit number.
    pub const MAX: u32 = i32::MAX.cast_unsigned();

    /// Creates the part `remainder`, from 0, of `divisor` parts.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if there is no such part, or if there are more than
    /// [`MAX`](Self::MAX) of them.
    pub fn new(divisor: NonZeroU32, remainder: u32) -> Result<Self> {
        if divisor.get() > Self::MAX {
            return Err(Error::invalid(format!(
                "notifications cannot be divided into {divisor} parts: the maximum is {}",
                Self::MAX
            )));
        }
        if remainder >= divisor.get() {
            return Err(Error::invalid(format!(
                "there is no part {remainder} of {divisor}: the parts are counted from 0"
            )));
        }
        Ok(Self { divisor, remainder })
    }

    /// Returns the number of parts.
    pub fn divisor(self) -> NonZeroU32 {
        self.divisor
    }

    /// Returns the number of this part, from 0.
    pub fn remainder(self) -> u32 {
        self.remainder
    }

    /// Checks whether a notification belongs to this part.
    pub fn contains(self, row: &[u8], qualifier: &[u8]) -> bool {
        match notification_hash(row, qualifier).checked_abs() {
            Some(hash) => hash.cast_unsigned() % self.divisor == self.remainder,
            None => self.divisor.is_power_of_two() && self.remainder == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::test_data::{at, hex, timestamps};

    fn share(divisor: u32, remainder: u32) -> Partition {
        Partition::new(NonZeroU32::new(divisor).unwrap(), remainder).unwrap()
    }

    #[test]
    fn names_columns_as_fluo_does() {
        let observed = Column::new("stat", "count").with_visibility("A");
        let column = notification_column(&observed);
        assert_eq!(hex(&column.qualifier), "047374617405636f756e74");
        assert_eq!(column.visibility, "A");
        assert_eq!(observed_column(&column).unwrap(), observed);
    }

    #[test]
    fn rejects_other_columns_with_a_description() {
        for column in [
            Column::new("f", "\x01a\x01b"),
            Column::new("ntfy", "\x01a"),
            Column::new("ntfy", "\x01a\x01b\x01c"),
        ] {
            let error = observed_column(&column).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
        }
        assert_eq!(
            observed_column(&Column::new("ntfy", "q")).unwrap_err().to_string(),
            "`ntfy:q` is not a column of notifications, with the family `ntfy` and an observed column"
        );
    }

    #[test]
    fn encodes_stamps_as_fluo_does() {
        let stamp = |is_delete| NotificationTimestamp { timestamp: at(1001), is_delete };
        assert_eq!((stamp(false).encode(), stamp(true).encode()), (2002, 2003));
        assert_eq!(NotificationTimestamp::decode(-1), None);
        assert_eq!(NotificationTimestamp::decode(i64::MAX), None);
    }

    #[test]
    fn computes_hashes_as_fluo_does() {
        assert_eq!(hash(b"r1"), 4544);
        let qualifier = b"\x04stat\x05count";
        assert_eq!(hash(qualifier), -1_441_205_279);
        assert_eq!(hash(&[0xff, 0x80, 0x01]), 24_863);
        assert_eq!(notification_hash(b"r1", qualifier), 4544 - 1_441_205_279);
        assert!(share(7, 2).contains(b"r1", qualifier) && share(13, 0).contains(b"r1", qualifier));
    }

    #[test]
    fn a_hash_without_an_absolute_value_is_in_a_part_only_of_a_power_of_two() {
        let (row, qualifier) = (&b"adb:A0BM"[..], &b"\x01s\x06strong"[..]);
        assert_eq!(notification_hash(row, qualifier), i32::MIN);
        assert!(is_unpartitioned(row, qualifier));
        assert!(!is_unpartitioned(row, b"\x01s\x04weak"));
        for divisor in 1..20 {
            let owners = (0..divisor).filter(|part| share(divisor, *part).contains(row, qualifier));
            let expected: &[u32] = match divisor {
                1 | 2 | 4 | 8 | 16 => &[0],
                _ => &[],
            };
            assert_eq!(owners.collect::<Vec<_>>(), expected, "{divisor}");
        }
    }

    /// The hashes are those of Fluo's classes in Java.
    #[test]
    fn assigns_cells_to_parts_as_fluo_does() {
        let long = |byte: u8, times: usize| vec![byte; times];
        let row = |text: &str| text.as_bytes().to_vec();
        /// A row, a family, a qualifier, and the remainders.
        type Vector = (Vec<u8>, Vec<u8>, Vec<u8>, [u32; 5]);
        let cells: [Vector; 21] = [
            (row("r1"), row("s"), row("strong"), [0, 0, 1, 0, 10]),
            (row("rs1"), row("s"), row("strong"), [0, 1, 2, 4, 1]),
            (row("rw1"), row("s"), row("strong"), [0, 1, 0, 2, 8]),
            (row("q00000"), row("s"), row("strong"), [0, 0, 1, 6, 8]),
            (row("q00001"), row("s"), row("strong"), [0, 1, 2, 0, 9]),
            (row("q00010"), row("s"), row("strong"), [0, 1, 2, 2, 0]),
            (row("row:with:colons"), row("s"), row("strong"), [0, 1, 2, 3, 2]),
            (row("a"), row("s"), row("strong"), [0, 0, 1, 1, 1]),
            (row("z"), row("s"), row("strong"), [0, 1, 2, 5, 0]),
            (row("Zürich"), row("s"), row("strong"), [0, 0, 2, 4, 12]),
            (row("日本"), row("s"), row("strong"), [0, 1, 0, 1, 2]),
            (vec![0x00], row("s"), row("strong"), [0, 1, 0, 2, 8]),
            (vec![0xff], row("s"), row("strong"), [0, 0, 2, 1, 7]),
            (vec![0x80, 0, 0xff, 0x7f], row("s"), row("strong"), [0, 1, 1, 3, 12]),
            (row("r1"), row("w"), row("weak"), [0, 1, 1, 5, 4]),
            (row("r1"), row("stat"), row("count"), [0, 1, 0, 2, 0]),
            (row("r1"), row("cf"), row(""), [0, 0, 2, 3, 6]),
            (row("r1"), row(""), row(""), [0, 1, 0, 3, 6]),
            (row("r1"), long(b'x', 200), row("q"), [0, 0, 2, 3, 4]),
            (row("r1"), row("f"), long(b'x', 200), [0, 1, 1, 3, 8]),
            (long(0xaa, 300), long(0xaa, 300), long(0xaa, 300), [0, 0, 1, 4, 0]),
        ];
        for (row, family, qualifier, expected) in cells {
            let column = notification_column(&Column::new(family, qualifier));
            let owners = [1, 2, 3, 7, 13].map(|divisor| {
                let is_owner = |part: &u32| share(divisor, *part).contains(&row, &column.qualifier);
                (0..divisor).find(is_owner).unwrap()
            });
            assert_eq!(owners, expected, "{row:x?}");
        }
    }

    #[test]
    fn rejects_an_invalid_share_with_a_description() {
        let new = |divisor, remainder| Partition::new(NonZeroU32::new(divisor).unwrap(), remainder);
        assert_eq!(
            new(7, 7).unwrap_err().to_string(),
            "there is no part 7 of 7: the parts are counted from 0"
        );
        assert_eq!(
            new(1 << 31, 0).unwrap_err().to_string(),
            "notifications cannot be divided into 2147483648 parts: the maximum is 2147483647"
        );
    }

    proptest! {
        #[test]
        fn decodes_what_it_encodes(timestamp in timestamps(), is_delete in any::<bool>()) {
            let stamp = NotificationTimestamp { timestamp, is_delete };
            prop_assert_eq!(NotificationTimestamp::decode(stamp.encode()), Some(stamp));
        }

        #[test]
        fn any_column_is_one_of_notifications_or_rejected(qualifier in any::<Vec<u8>>()) {
            let column = Column::new("ntfy", qualifier);
            if let Ok(observed) = observed_column(&column) {
                // A length has several encodings, so the bytes may differ.
                prop_assert_eq!(observed_column(&notification_column(&observed)).unwrap(), observed);
            }
        }
    }
}
