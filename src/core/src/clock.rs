//! Time as an argument.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a table that assigns timestamps takes the time from, so that a test can hold it still.
pub trait Clock: Debug + Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z. May stand still or go back; who needs order makes it.
    fn now_ms(&self) -> i64;
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let elapsed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
    }
}
