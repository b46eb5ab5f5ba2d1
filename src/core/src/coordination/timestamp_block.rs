//! Timestamps that belong to one caller.

use std::num::NonZeroU32;

use crate::data::Timestamp;
use crate::error::{Error, ErrorKind, Result};

/// Timestamps in a row that were handed out together and belong to one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampBlock {
    /// The first of them.
    pub first: Timestamp,
    /// How many: the last is `first + count - 1`.
    pub count: NonZeroU32,
    /// The horizon when they were handed out: below it garbage may have been collected. Not above `first`.
    pub horizon: Timestamp,
}

impl TimestampBlock {
    /// The timestamps of the block, in order.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    ///
    /// use fluo_core::{Timestamp, coordination::TimestampBlock};
    ///
    /// # fn main() -> fluo_core::Result<()> {
    /// let count = NonZeroU32::MIN.saturating_add(2);
    /// let block = TimestampBlock { first: Timestamp::new(7)?, count, horizon: Timestamp::ZERO };
    /// assert_eq!(block.iter().map(Timestamp::get).collect::<Vec<_>>(), [7, 8, 9]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Timestamp> + use<> {
        let first = self.first.get();
        let end = first.saturating_add(u64::from(self.count.get()));
        (first..end).filter_map(|number| Timestamp::new(number).ok())
    }

    /// The timestamp right after a block of `count` that begins at `first`: where the next block may begin.
    ///
    /// # Errors
    /// [`Storage`](crate::ErrorKind::Storage) where the timestamps of an application are used up.
    pub fn end_of(first: Timestamp, count: u32) -> Result<Timestamp> {
        let end = first.get().saturating_add(u64::from(count));
        Timestamp::new(end).map_err(|error| {
            let message = format!(
                "the timestamps of this application are used up: after {first} there are no {count} more; \
                 move its data into a new application"
            );
            Error::with_source(ErrorKind::Storage, message, error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_that_are_used_up_are_an_error() {
        let last = Timestamp::new(Timestamp::MAX.get() - 1).unwrap();
        assert_eq!(TimestampBlock::end_of(last, 1).unwrap(), Timestamp::MAX);
        let error = TimestampBlock::end_of(last, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        assert_eq!(
            error.to_string(),
            "the timestamps of this application are used up: after 1152921504606846974 there are no 2 more; \
             move its data into a new application"
        );
    }
}
