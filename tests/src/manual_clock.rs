//! A clock that a test sets.

use std::sync::atomic::{AtomicI64, Ordering};

use fluo_table::Clock;

/// A clock that shows the same time until it is set, also to an earlier time.
///
/// ```
/// use fluo_table::Clock;
/// use fluo_tests::ManualClock;
///
/// let clock = ManualClock::at(1_000);
/// clock.set(900);
/// assert_eq!(clock.now_ms(), 900);
/// ```
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// Creates a clock that shows `now_ms`.
    pub fn at(now_ms: i64) -> Self {
        Self(AtomicI64::new(now_ms))
    }

    /// Sets the time to `now_ms`.
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}
