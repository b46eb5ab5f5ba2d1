//! Timestamps that are handed out from memory, and the size of the next reservation.
//!
//! ZooKeeper stores the end of the reserved timestamps. A crash loses the rest of a reservation,
//! and no timestamp is handed out twice. A reservation is small at first and grows while it is used
//! up within [`LASTS`], so that about one write per second suffices for any rate of timestamps.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Result, Timestamp};

/// The size of the smallest reservation, as in Fluo.
const LEAST: u32 = 1_000;
/// The size of the largest reservation: the maximum number of timestamps that a crash loses.
const MOST: u32 = 1 << 20;
/// The intended life of a reservation.
const LASTS: Duration = Duration::from_secs(1);

/// The reserved timestamps of a leader.
#[derive(Debug)]
pub(super) struct Stamps {
    /// The next timestamp to hand out.
    next: Timestamp,
    /// The first timestamp that is not reserved.
    end: Timestamp,
    /// The number of timestamps to reserve at a time.
    size: u32,
    reserved_at: Option<Instant>,
}

impl Stamps {
    /// Creates the state with nothing reserved: all timestamps from `end` on are unused.
    pub(super) fn new(end: Timestamp) -> Self {
        Self {
            next: end,
            end,
            size: LEAST,
            reserved_at: None,
        }
    }

    /// Returns the next timestamp, which is not handed out by this.
    pub(super) fn next(&self) -> Timestamp {
        self.next
    }

    /// Hands out `count` timestamps and returns the first one, or `None` if fewer are reserved.
    pub(super) fn take(&mut self, count: NonZeroU32) -> Result<Option<Timestamp>> {
        let first = self.next;
        let next = TimestampBlock::end_of(first, count.get())?;
        if next > self.end {
            return Ok(None);
        }
        self.next = next;
        Ok(Some(first))
    }

    /// Returns the new end of the reservation, so that `count` timestamps can be handed out.
    ///
    /// # Errors
    ///
    /// [`Storage`](fluo_table::ErrorKind::Storage) if the timestamps are used up.
    pub(super) fn plan(&mut self, count: NonZeroU32, now: Instant) -> Result<Timestamp> {
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
        // while this one is written. The last reservation covers all remaining timestamps.
        let size = self.size.max(count.get());
        Ok(TimestampBlock::end_of(self.end, size).unwrap_or(Timestamp::MAX))
    }

    /// Records that the timestamps up to `end` are reserved too.
    pub(super) fn reserved(&mut self, end: Timestamp) {
        self.end = end;
    }

    /// Drops the reservation. All timestamps from `end` on are unused.
    pub(super) fn skip_to(&mut self, end: Timestamp) {
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
    fn begins_as_java_does() {
        let mut stamps = Stamps::new(at(2));
        assert_eq!(stamps.take(count(1)).unwrap(), None);
        let end = stamps.plan(count(1), Instant::now()).unwrap();
        assert_eq!(end, at(1_002));
        stamps.reserved(end);
        assert_eq!(stamps.take(count(1_000)).unwrap(), Some(at(2)));
        assert_eq!(stamps.take(count(1)).unwrap(), None);
    }

    #[test]
    fn reserves_a_large_request_in_one_step() {
        let mut stamps = Stamps::new(at(2));
        let end = stamps.plan(count(50_000), Instant::now()).unwrap();
        assert_eq!(end, at(50_002));
    }

    #[test]
    fn a_reservation_grows_while_it_is_used_up_fast_and_shrinks_again() {
        let mut stamps = Stamps::new(at(2));
        let mut now = Instant::now();
        let mut sizes = Vec::new();
        for passed in [0, 0, 0, 1, 1] {
            now += Duration::from_secs(passed);
            sizes.push(stamps.plan(count(1), now).unwrap().get() - 2);
        }
        assert_eq!(sizes, [1_000, 2_000, 4_000, 2_000, 1_000]);
    }

    #[test]
    fn skips_a_reservation_in_doubt() {
        let mut stamps = Stamps::new(at(2));
        stamps.reserved(at(1_002));
        stamps.skip_to(at(2_002));
        assert_eq!(stamps.take(count(1)).unwrap(), None);
        assert_eq!(stamps.next(), at(2_002));
    }

    #[test]
    fn hands_out_the_last_timestamps_and_then_none() {
        let mut stamps = Stamps::new(at(Timestamp::MAX.get() - 10));
        let end = stamps.plan(count(10), Instant::now()).unwrap();
        assert_eq!(end, Timestamp::MAX);
        stamps.reserved(end);
        assert!(stamps.take(count(10)).unwrap().is_some());
        assert!(stamps.take(count(1)).is_err());
        assert!(stamps.plan(count(1), Instant::now()).is_err());
    }
}
