//! Timestamps, handed out from memory and reserved in the file.
//!
//! The file says up to where timestamps are reserved; what is below that is handed out without looking at it. So a crash
//! costs what is left of the reservation, and never gives a timestamp twice. A reservation is small at first and grows
//! as long as it is used up within [`LASTS`], so that one commit is paid for a second's timestamps, however many that are.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_core::coordination::TimestampBlock;
use fluo_core::{Result, Timestamp};
use tokio::time::Instant;

/// Timestamps of the smallest reservation, which is Fluo's.
const LEAST: u32 = 1_000;
/// Timestamps of the largest reservation: what a crash costs at most.
const MOST: u32 = 1 << 20;
/// How long a reservation is to last.
const LASTS: Duration = Duration::from_secs(1);

/// The timestamps of an application that is open.
#[derive(Debug)]
pub(super) struct Stamps {
    /// The next one.
    next: Timestamp,
    /// The first that is not reserved.
    end: Timestamp,
    /// The horizon that is in force, and in the file.
    pub(super) horizon: Timestamp,
    /// How many are reserved at a time.
    size: u32,
    reserved_at: Option<Instant>,
}

impl Stamps {
    /// What is above all that was reserved before is free.
    pub(super) fn new(end: Timestamp, horizon: Timestamp) -> Self {
        Self {
            next: end,
            end,
            horizon,
            size: LEAST,
            reserved_at: None,
        }
    }

    pub(super) fn next(&self) -> Timestamp {
        self.next
    }

    /// Hands out so many; none if not as many are reserved.
    pub(super) fn take(&mut self, count: NonZeroU32) -> Result<Option<TimestampBlock>> {
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

    /// Up to where is to be reserved, so that this many can be handed out.
    pub(super) fn reservation(&mut self, count: NonZeroU32, now: Instant) -> Result<Timestamp> {
        if let Some(reserved_at) = self.reserved_at {
            self.size = match now.duration_since(reserved_at) < LASTS {
                true => self.size.saturating_mul(2),
                false => self.size / 2,
            };
        }
        self.size = self.size.clamp(LEAST, MOST);
        self.reserved_at = Some(now);
        // Nothing is reserved that could not be handed out.
        TimestampBlock::end_of(self.next, count.get())?;
        // From the end, not from the next: others may take what is left until it is in the file. The last reservation
        // is of all there are.
        let size = self.size.max(count.get());
        Ok(TimestampBlock::end_of(self.end, size).unwrap_or(Timestamp::MAX))
    }

    /// The file says that this is reserved.
    pub(super) fn reserved(&mut self, end: Timestamp) {
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
    fn only_what_is_reserved_is_handed_out() {
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
    fn the_last_ones_are_handed_out_and_then_there_are_none() {
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
