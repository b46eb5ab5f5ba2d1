//! The timestamps that order transactions.

use std::fmt;

use crate::error::{Error, Result};

/// A timestamp that the oracle hands out: the start or the commit of a transaction.
///
/// The timestamp of a stored entry is an [`EntryTimestamp`](crate::layout::EntryTimestamp), which
/// also encodes the kind of the entry.
///
/// # Examples
///
/// ```
/// use fluo_table::Timestamp;
///
/// let start = Timestamp::new(41)?;
/// assert!(start < start.next()?);
/// assert_eq!(start.next()?.get(), 42);
/// assert_eq!(start.to_string(), "41");
/// # Ok::<(), fluo_table::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The timestamp before all that an oracle hands out.
    pub const ZERO: Self = Self(0);
    /// The first timestamp of an application. Data that is bulk loaded, outside of transactions,
    /// has the timestamps 0 and 1, before all transactions.
    pub const FIRST: Self = Self(2);
    /// The last timestamp. It has 60 bits, because the stamp of a read lock has a kind of 3 bits
    /// above them and one bit below.
    pub const MAX: Self = Self((1 << 60) - 1);

    /// Creates the timestamp with this number.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) above [`MAX`](Self::MAX).
    pub fn new(number: u64) -> Result<Self> {
        Self::from_bits(number).ok_or_else(|| {
            Error::invalid(format!("{number} is not a timestamp: the largest is {}", Self::MAX))
        })
    }

    /// Returns the timestamp with this number, or `None` if the number is too large.
    pub(crate) const fn from_bits(bits: u64) -> Option<Self> {
        if bits <= Self::MAX.0 { Some(Self(bits)) } else { None }
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the timestamp right after this one.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) after [`MAX`](Self::MAX).
    pub fn next(self) -> Result<Self> {
        Self::new(self.0.saturating_add(1))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_sixty_bits() {
        let most = Timestamp::new(1_152_921_504_606_846_975).unwrap();
        assert_eq!(most, Timestamp::MAX);
        let error = most.next().unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "1152921504606846976 is not a timestamp: the largest is 1152921504606846975"
        );
        assert!(Timestamp::new(u64::MAX).is_err());
    }
}
