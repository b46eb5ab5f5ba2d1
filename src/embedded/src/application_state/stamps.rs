//! Timestamps, handed out from memory and reserved in the file.
//!
//! The file stores the end of the reserved timestamps; reserved ones are handed out without access
//! to the file. So a crash loses the rest of the reservation, and no timestamp is handed out twice.
//! A reservation is small at first and grows while it is used up within [`LASTS`], so that about
//! one commit per second suffices for any rate of timestamps.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Result, Timestamp};
use tokio::time::Instant;

/// The size of the smallest reservation, as in Fluo.
const LEAST: u32 = 1_000;
/// The size of the largest reservation: the maximum number of timestamps that a crash loses.
const MOST: u32 = 1 << 20;
/// The intended life of a reservation.
const LASTS: Duration = Duration::from_secs(1);

/// The timestamps of an open application.
#[derive(Debug)]
pub(crate) struct Stamps {
    /// The next timestamp to hand out.
    next: Timestamp,
    /// The first timestamp that is not reserved.
    end: Timestamp,
    /// The horizon that is in force, and in the file.
    pub(crate) horizon: Timestamp,
    /// The number of timestamps to reserve at a time.
    size: u32,
    reserved_at: Option<Instant>,
}

impl Stamps {
    /// Creates the state after an opening, with nothing reserved: all timestamps from `end` on are
    /// unused.
    pub(crate) fn new(end: Timestamp, horizon: Timestamp) -> Self {
        Self {
            next: end,
            end,
            horizon,
            size: LEAST,
            reserved_at: None,
        }
    }

    pub(crate) fn next(&self) -> Timestamp {
        self.next
    }

    /// Hands out `count` timestamps, or returns `None` if fewer are reserved.
    pub(crate) fn take(&mut self, count: NonZeroU32) -> Result<Option<TimestampBlock>> {
        let first = self.next;
        let next = TimestampBlock::end_of(first, count.get())?;
        if next > self.end {
            return Ok(None);
        }
        self.next = next;
        Ok(Some(TimestampBlock {
            first,
            count,
            horizon: self.horizon,
        }))
    }

    /// Returns the new end of the reservation, so that `count` timestamps can be handed out.
    pub(crate) fn reservation(&mut self, count: NonZeroU32, now: Instant) -> Result<Timestamp> {
        if let Some(reserved_at) = self.reserved_at {
            self.size = match now.duration_since(reserved_at) < LASTS {
                true => self.size.saturating_mul(2),
                false => self.size / 2,
            };
        }
        self.size = self.size.clamp(LEAST, MOST);
        self.reserved_at = Some(now);
        // Reserve nothing if `count` timestamps could not be handed out.
        TimestampBlock::end_of(self.next, count.get())?;
        // From the end, not from the next one: other callers may take the rest of the reservation
        // until the new one is in the file. The last reservation covers all remaining timestamps.
        let size = self.size.max(count.get());
        Ok(TimestampBlock::end_of(self.end, size).unwrap_or(Timestamp::MAX))
    }

    /// Records that the file contains this reservation.
    pub(crate) fn reserved(&mut self, end: Timestamp) {
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
    fn a_reservation_grows_while_it_is_used_up_fast_and_shrinks_again() {
        let mut stamps = Stamps::new(at(2), at(0));
        let start = Instant::now();
        let mut sizes = Vec::new();
        let fast = [0; 13].map(Duration::from_millis);
        let slow = [1; 3].map(Duration::from_secs);
        let mut now = start;
        for passed in fast.into_iter().chain(slow) {
            now += passed;
            let end = stamps.reservation(count(1), now).unwrap();
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
        let mut stamps = Stamps::new(at(2), at(1));
        assert_eq!(stamps.take(count(1)).unwrap(), None);
        let end = stamps.reservation(count(5_000), Instant::now()).unwrap();
        assert_eq!(end, at(5_002));
        stamps.reserved(end);
        let block = stamps.take(count(4_999)).unwrap().unwrap();
        assert_eq!((block.first, block.horizon), (at(2), at(1)));
        assert_eq!(stamps.take(count(2)).unwrap(), None);
        assert_eq!(stamps.take(count(1)).unwrap().unwrap().first, at(5_001));
    }

    #[test]
    fn hands_out_the_last_timestamps_and_then_none() {
        let mut stamps = Stamps::new(at(Timestamp::MAX.get() - 10), at(0));
        let end = stamps.reservation(count(10), Instant::now()).unwrap();
        assert_eq!(end, Timestamp::MAX);
        stamps.reserved(end);
        assert!(stamps.take(count(10)).unwrap().is_some());
        assert!(
            stamps.take(count(1)).is_err() && stamps.reservation(count(1), Instant::now()).is_err()
        );
    }
}
