//! Notifications: where they stand, their timestamps, and who deals with which.
//!
//! A notification stands in the row of the observed cell, in a family of its own, and under the visibility of the
//! observed column. Its value is empty. Its timestamp has no kind:
//!
//! ```text
//!  63                                                             1   0
//! +----------------------------------------------------------------+---+
//! | timestamp of the oracle                                        | d |   d: 1 if it takes notifications away
//! +----------------------------------------------------------------+---+
//! ```
//!
//! The newest entry of a column counts: a notification is there, or it is not. One that was set at a timestamp is
//! taken away by every deletion at that timestamp or later.

use std::num::NonZeroU32;

use super::vint::{concat, split};
use crate::data::{Bytes, Column, Timestamp};
use crate::error::{Error, ErrorKind, Result};

/// The family of notifications. Nothing else may be written to it.
pub const NOTIFICATION_FAMILY: &str = "ntfy";

/// The column in which notifications of an observed column stand.
///
/// Its qualifier is family and qualifier of the observed column, each after its length:
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

/// The observed column of a column of notifications.
///
/// # Errors
/// [`Corrupt`](crate::ErrorKind::Corrupt) if it is not a column that [`notification_column`] makes.
pub fn observed_column(notification: &Column) -> Result<Column> {
    let bytes = &notification.qualifier;
    let [family, qualifier] = split(bytes)
        .filter(|_| notification.family == NOTIFICATION_FAMILY)
        .ok_or_else(|| not_a_notification(notification))?;
    Ok(Column {
        family: bytes.slice_ref(family),
        qualifier: bytes.slice_ref(qualifier),
        visibility: notification.visibility.clone(),
    })
}

fn not_a_notification(column: &Column) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "`{column}` is not a column of notifications: its family should be `{NOTIFICATION_FAMILY}`, and its \
             qualifier family and qualifier of the observed column, each after its length"
        ),
    )
}

/// The timestamp of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NotificationStamp {
    /// The commit of the transaction that wrote the observed cell; for a deletion, the start of the one that dealt
    /// with it.
    pub timestamp: Timestamp,
    /// Whether it takes notifications away.
    pub is_delete: bool,
}

impl NotificationStamp {
    /// The timestamp that the entry is stored with.
    pub const fn encode(self) -> i64 {
        let bits = (self.timestamp.get() << 1) | self.is_delete as u64;
        bits.cast_signed()
    }

    /// Reads the timestamp of a stored entry; `None` if no notification can have it.
    pub fn decode(stamp: i64) -> Option<Self> {
        let bits = u64::try_from(stamp).ok()?;
        Some(Self {
            timestamp: Timestamp::from_bits(bits >> 1)?,
            is_delete: is_deletion(stamp),
        })
    }
}

/// Whether the entry of this stamp takes notifications away; any number is taken for a stamp.
pub(crate) const fn is_deletion(stamp: i64) -> bool {
    stamp & 1 == 1
}

/// The hash by which the notifications of a range are shared out among workers: that of Fluo.
pub fn notification_hash(row: &[u8], qualifier: &[u8]) -> i32 {
    hash(row).wrapping_add(hash(qualifier))
}

/// 31 times what came before, and the byte with its sign; from 1.
fn hash(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1, |hash: i32, byte| {
        hash.wrapping_mul(31)
            .wrapping_add(i32::from(byte.cast_signed()))
    })
}

/// One of the equal parts of the notifications of a range: those whose hash leaves this remainder.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use fluo_core::layout::Share;
///
/// # fn main() -> fluo_core::Result<()> {
/// let seven = NonZeroU32::MIN.saturating_add(6);
/// let qualifier = b"\x04stat\x05count";
/// assert!(Share::new(seven, 2)?.owns(b"r1", qualifier));
/// assert!(!Share::new(seven, 3)?.owns(b"r1", qualifier));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    divisor: NonZeroU32,
    remainder: u32,
}

impl Share {
    /// The most parts that a server can be asked for: the largest signed 32-bit number.
    pub const MOST: u32 = i32::MAX.cast_unsigned();

    /// Part `remainder`, from 0, of `divisor` parts.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if there is no such part, or more than [`MOST`](Self::MOST) of them.
    pub fn new(divisor: NonZeroU32, remainder: u32) -> Result<Self> {
        if divisor.get() > Self::MOST {
            return Err(Error::invalid(format!(
                "notifications cannot be shared out into {divisor} parts: there can be {} at most",
                Self::MOST
            )));
        }
        if remainder >= divisor.get() {
            return Err(Error::invalid(format!(
                "there is no part {remainder} of {divisor}: the parts are counted from 0"
            )));
        }
        Ok(Self { divisor, remainder })
    }

    /// Into how many parts the notifications are shared out.
    pub fn divisor(self) -> NonZeroU32 {
        self.divisor
    }

    /// Which part this is, from 0.
    pub fn remainder(self) -> u32 {
        self.remainder
    }

    /// Whether a notification belongs to this part.
    ///
    /// Of one cell in four thousand million the hash has no absolute value: it is the least number there is. Fluo's
    /// filter on the servers leaves it to nobody if the parts are not a power of two. Here it belongs to part 0, so that
    /// it belongs to exactly one; where servers filter, it is dealt with when the number of workers changes.
    pub fn owns(self, row: &[u8], qualifier: &[u8]) -> bool {
        let hash = notification_hash(row, qualifier).checked_abs().unwrap_or(0);
        hash.cast_unsigned() % self.divisor == self.remainder
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::samples::{at, hex, timestamps};

    fn share(divisor: u32, remainder: u32) -> Share {
        Share::new(NonZeroU32::new(divisor).unwrap(), remainder).unwrap()
    }

    #[test]
    fn columns_are_named_as_fluo_names_them() {
        let observed = Column::new("stat", "count").with_visibility("A");
        let column = notification_column(&observed);
        assert_eq!(hex(&column.qualifier), "047374617405636f756e74");
        assert_eq!(column.visibility, "A");
        assert_eq!(observed_column(&column).unwrap(), observed);
    }

    #[test]
    fn what_is_no_column_of_notifications_is_refused_in_words() {
        for column in [
            Column::new("f", "\x01a\x01b"),
            Column::new("ntfy", "\x01a"),
            Column::new("ntfy", "\x01a\x01b\x01c"),
        ] {
            let error = observed_column(&column).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
        }
        assert_eq!(
            observed_column(&Column::new("ntfy", "q"))
                .unwrap_err()
                .to_string(),
            "`ntfy:q` is not a column of notifications: its family should be `ntfy`, and its qualifier family and \
             qualifier of the observed column, each after its length"
        );
    }

    #[test]
    fn stamps_are_those_of_fluo() {
        let stamp = |is_delete| NotificationStamp {
            timestamp: at(1001),
            is_delete,
        };
        assert_eq!((stamp(false).encode(), stamp(true).encode()), (2002, 2003));
        assert_eq!(NotificationStamp::decode(-1), None);
        assert_eq!(NotificationStamp::decode(i64::MAX), None);
    }

    #[test]
    fn hashes_are_those_of_fluo() {
        assert_eq!(hash(b"r1"), 4544);
        let qualifier = b"\x04stat\x05count";
        assert_eq!(hash(qualifier), -1_441_205_279);
        assert_eq!(hash(&[0xff, 0x80, 0x01]), 24_863);
        assert_eq!(notification_hash(b"r1", qualifier), 4544 - 1_441_205_279);
        assert!(share(7, 2).owns(b"r1", qualifier) && share(13, 0).owns(b"r1", qualifier));
    }

    #[test]
    fn a_hash_without_an_absolute_value_belongs_to_part_0() {
        let (row, qualifier) = (&b""[..], &b"qlmmrpy"[..]);
        assert_eq!(notification_hash(row, qualifier), i32::MIN);
        let owners = (0..7).filter(|part| share(7, *part).owns(row, qualifier));
        assert_eq!(owners.collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_share_that_is_none_is_refused_in_words() {
        let new = |divisor, remainder| Share::new(NonZeroU32::new(divisor).unwrap(), remainder);
        assert_eq!(
            new(7, 7).unwrap_err().to_string(),
            "there is no part 7 of 7: the parts are counted from 0"
        );
        assert_eq!(
            new(1 << 31, 0).unwrap_err().to_string(),
            "notifications cannot be shared out into 2147483648 parts: there can be 2147483647 at most"
        );
    }

    proptest! {
        #[test]
        fn every_notification_belongs_to_one_share(row in any::<Vec<u8>>(), qualifier in any::<Vec<u8>>(), divisor in 1u32..20) {
            let owners = (0..divisor).filter(|remainder| share(divisor, *remainder).owns(&row, &qualifier));
            prop_assert_eq!(owners.count(), 1);
        }

        #[test]
        fn what_was_encoded_is_decoded(timestamp in timestamps(), is_delete in any::<bool>()) {
            let stamp = NotificationStamp { timestamp, is_delete };
            prop_assert_eq!(NotificationStamp::decode(stamp.encode()), Some(stamp));
        }

        #[test]
        fn any_column_is_one_of_notifications_or_refused(qualifier in any::<Vec<u8>>()) {
            let column = Column::new("ntfy", qualifier);
            if let Ok(observed) = observed_column(&column) {
                // A length may be written in more than one way, so not the same bytes.
                prop_assert_eq!(observed_column(&notification_column(&observed)).unwrap(), observed);
            }
        }
    }
}
