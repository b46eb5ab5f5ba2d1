//! Blocks of timestamps, which are handed out from memory, and the size of the next reservation.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use crate::data::Timestamp;
use crate::error::{Error, ErrorKind, Result};

/// The size of the smallest reservation, as in Fluo.
const MIN_SIZE: u32 = 1_000;
/// The size of the largest reservation: the maximum number of timestamps that a crash loses.
const MAX_SIZE: u32 = 1 << 20;
/// The intended life of a reservation.
const LASTS: Duration = Duration::from_secs(1);

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

/// The reserved timestamps of a process, for implementations of
/// [`Coordination`](super::Coordination).
///
/// The storage holds the end of the reserved timestamps; reserved ones are handed out without
/// access to it. So a crash loses the rest of the reservation, and no timestamp is handed out
/// twice. A reservation is small at first, 1,000 timestamps, and doubles, up to 1,048,576, as often
/// as it is used up within a second. So about one write per second suffices for any rate of
/// timestamps.
#[derive(Debug)]
pub struct ReservedTimestamps {
    next: Timestamp,
    /// The first timestamp that is not reserved.
    end: Timestamp,
    /// The number of timestamps to reserve at a time.
    size: u32,
    planned_at: Option<Instant>,
}

impl ReservedTimestamps {
    /// Creates the state with nothing reserved: all timestamps from `end` on are unused.
    pub fn new(end: Timestamp) -> Self {
        Self { next: end, end, size: MIN_SIZE, planned_at: None }
    }

    /// Returns the next timestamp without handing it out.
    pub fn next(&self) -> Timestamp {
        self.next
    }

    /// Hands out `count` timestamps and returns the first one, or `None` if fewer are reserved.
    ///
    /// # Errors
    ///
    /// [`Storage`](crate::ErrorKind::Storage) if the timestamps are used up.
    pub fn take(&mut self, count: NonZeroU32) -> Result<Option<Timestamp>> {
        let first = self.next;
        let next = TimestampBlock::end_of(first, count.get())?;
        if next > self.end {
            return Ok(None);
        }
        self.next = next;
        Ok(Some(first))
    }

    /// Returns the new end of the reservation, so that `count` timestamps can be handed out once it
    /// is [stored](Self::reserved).
    ///
    /// # Errors
    ///
    /// [`Storage`](crate::ErrorKind::Storage) if the timestamps are used up.
    pub fn plan(&mut self, count: NonZeroU32, now: Instant) -> Result<Timestamp> {
        if let Some(planned_at) = self.planned_at.replace(now) {
            self.size = if now.duration_since(planned_at) < LASTS {
                self.size.saturating_mul(2)
            } else {
                self.size / 2
            };
        }
        self.size = self.size.clamp(MIN_SIZE, MAX_SIZE);
        // Reserve nothing if `count` timestamps could not be handed out.
        TimestampBlock::end_of(self.next, count.get())?;
        // From the end, not from the next one: other callers may take the rest of the reservation
        // until the new one is stored. The last reservation covers all remaining timestamps.
        let size = self.size.max(count.get());
        Ok(TimestampBlock::end_of(self.end, size).unwrap_or(Timestamp::MAX))
    }

    /// Records that the storage holds this end.
    pub fn reserved(&mut self, end: Timestamp) {
        self.end = end;
    }

    /// Drops the reservation. All timestamps from `end` on are unused.
    pub fn skip_to(&mut self, end: Timestamp) {
        self.next = end;
        self.end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    fn count(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    #[test]
    fn iterates_over_consecutive_timestamps() {
        let block = TimestampBlock { first: at(7), count: count(3), horizon: Timestamp::ZERO };
        assert_eq!(block.iter().map(Timestamp::get).collect::<Vec<_>>(), [7, 8, 9]);
    }

    #[test]
    fn reports_timestamps_that_are_used_up() {
        let last = at(Timestamp::MAX.get() - 1);
        assert_eq!(TimestampBlock::end_of(last, 1).unwrap(), Timestamp::MAX);
        let error = TimestampBlock::end_of(last, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        assert_eq!(
            error.to_string(),
            "after 1152921504606846974 there are no 2 more timestamps; move the data into a new application"
        );
    }

    #[test]
    fn begins_as_java_does() {
        let mut timestamps = ReservedTimestamps::new(at(2));
        assert_eq!(timestamps.take(count(1)).unwrap(), None);
        let end = timestamps.plan(count(1), Instant::now()).unwrap();
        assert_eq!(end, at(1_002));
        timestamps.reserved(end);
        assert_eq!(timestamps.take(count(1_000)).unwrap(), Some(at(2)));
        assert_eq!(timestamps.take(count(1)).unwrap(), None);
    }

    #[test]
    fn a_reservation_grows_while_it_is_used_up_fast_and_shrinks_again() {
        let mut timestamps = ReservedTimestamps::new(at(2));
        let mut sizes = Vec::new();
        let fast = [0; 13].map(Duration::from_millis);
        let slow = [1; 3].map(Duration::from_secs);
        let mut now = Instant::now();
        for passed in fast.into_iter().chain(slow) {
            now += passed;
            let end = timestamps.plan(count(1), now).unwrap();
            sizes.push(end.get() - 2);
        }
        let expected = [
            1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000,
            1_024_000, 1_048_576, 1_048_576, 524_288, 262_144, 131_072,
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn hands_out_only_reserved_timestamps() {
        let mut timestamps = ReservedTimestamps::new(at(2));
        assert_eq!(timestamps.take(count(1)).unwrap(), None);
        let end = timestamps.plan(count(50_000), Instant::now()).unwrap();
        assert_eq!(end, at(50_002));
        timestamps.reserved(end);
        assert_eq!(timestamps.take(count(49_999)).unwrap(), Some(at(2)));
        assert_eq!(timestamps.take(count(2)).unwrap(), None);
        assert_eq!(timestamps.take(count(1)).unwrap(), Some(at(50_001)));
    }

    #[test]
    fn skips_a_reservation_in_doubt() {
        let mut timestamps = ReservedTimestamps::new(at(2));
        timestamps.reserved(at(1_002));
        timestamps.skip_to(at(2_002));
        assert_eq!(timestamps.take(count(1)).unwrap(), None);
        assert_eq!(timestamps.next(), at(2_002));
    }

    #[test]
    fn hands_out_the_last_timestamps_and_then_none() {
        let mut timestamps = ReservedTimestamps::new(at(Timestamp::MAX.get() - 10));
        let end = timestamps.plan(count(10), Instant::now()).unwrap();
        assert_eq!(end, Timestamp::MAX);
        timestamps.reserved(end);
        assert!(timestamps.take(count(10)).unwrap().is_some());
        assert!(timestamps.take(count(1)).is_err());
        assert!(timestamps.plan(count(1), Instant::now()).is_err());
    }
}
