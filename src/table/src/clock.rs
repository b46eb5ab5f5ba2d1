//! Time as an argument.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the time for tables that assign timestamps. A test can use a clock that never
/// advances.
pub trait Clock: Debug + Send + Sync {
    /// Returns the milliseconds since 1970-01-01T00:00:00Z. The number may repeat or decrease;
    /// callers that need an order must enforce it.
    fn now_ms(&self) -> i64;
}

/// Returns the time of a table for a call, in milliseconds since 1970, after its last time. While
/// the clock is behind, it is one later than that: a delete hides the puts of its own timestamp
/// (T6, T7).
#[must_use]
pub fn table_time(last_ms: i64, now_ms: i64) -> i64 {
    if now_ms < last_ms { last_ms.saturating_add(1) } else { now_ms }
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
    }
}
