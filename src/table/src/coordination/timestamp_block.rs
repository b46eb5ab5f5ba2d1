//! A block of timestamps for one caller.

use std::num::NonZeroU32;

use crate::data::Timestamp;
use crate::error::{Error, ErrorKind, Result};

/// A block of consecutive timestamps that were handed out together, to one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampBlock {
    /// The first timestamp.
    pub first: Timestamp,
    /// The number of timestamps: the last is `first + count - 1`.
    pub count: NonZeroU32,
    /// The horizon when they were handed out, below which garbage may have been collected. It is
    /// not above `first`.
    pub horizon: Timestamp,
}

impl TimestampBlock {
    /// Returns the timestamps of the block, in order.
    pub fn iter(&self) -> impl Iterator<Item = Timestamp> + use<> {
        let first = self.first.get();
        let end = first.saturating_add(u64::from(self.count.get()));
        (first..end).filter_map(|number| Timestamp::new(number).ok())
    }

    /// Returns the timestamp right after a block of `count` that begins at `first`. The next block
    /// may begin there.
    ///
    /// # Errors
    ///
    /// [`Storage`](crate::ErrorKind::Storage) if the timestamps of the application are used up.
    pub fn end_of(first: Timestamp, count: u32) -> Result<Timestamp> {
        Timestamp::new(first.get().saturating_add(u64::from(count))).map_err(|error| {
            let message = format!(
                "after {first} there are no {count} more timestamps; move the data into a new application"
            );
            Error::with_source(ErrorKind::Storage, message, error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterates_over_consecutive_timestamps() {
        let count = NonZeroU32::new(3).unwrap();
        let first = Timestamp::new(7).unwrap();
        let block = TimestampBlock { first, count, horizon: Timestamp::ZERO };
        assert_eq!(block.iter().map(Timestamp::get).collect::<Vec<_>>(), [7, 8, 9]);
    }

    #[test]
    fn reports_timestamps_that_are_used_up() {
        let last = Timestamp::new(Timestamp::MAX.get() - 1).unwrap();
        assert_eq!(TimestampBlock::end_of(last, 1).unwrap(), Timestamp::MAX);
        let error = TimestampBlock::end_of(last, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        assert_eq!(
            error.to_string(),
            "after 1152921504606846974 there are no 2 more timestamps; move the data into a new application"
        );
    }
}
