//! Pauses between attempts.

use std::time::Duration;

use tokio::time::Instant;

/// Longest wait for a change of a table that usually takes milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
/// First pause; a check takes about as long.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// Pauses that grow from attempt to attempt. Each is random between half and one and a half of its
/// average, so that clients do not return at the same time.
#[derive(Debug)]
pub(crate) struct Backoff {
    average: Duration,
    max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(20), Duration::from_secs(1))
    }
}

impl Backoff {
    pub(crate) fn new(first: Duration, max: Duration) -> Self {
        Self { average: first, max }
    }

    /// Returns the next pause. `random` is from 0 to 1.
    pub(crate) fn next(&mut self, random: f64) -> Duration {
        let pause = self.average.mul_f64(0.5 + random.clamp(0.0, 1.0));
        self.average = self.average.saturating_mul(2).min(self.max);
        pause
    }

    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.next(fastrand::f64())).await;
    }
}

/// The pauses between two checks whether a change of a table is in force, up to a limit.
#[derive(Debug)]
pub(crate) struct Settling {
    begin: Instant,
    backoff: Backoff,
}

impl Settling {
    pub(crate) fn begin() -> Self {
        Self { begin: Instant::now(), backoff: Backoff::new(FIRST_PAUSE, MAX_PAUSE) }
    }

    /// Waits before the next check. Returns false once the limit has passed.
    pub(crate) async fn wait(&mut self) -> bool {
        if self.begin.elapsed() > LIMIT {
            return false;
        }
        self.backoff.wait().await;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_to_its_limit() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = (0..8).map(|_| backoff.next(0.5).as_millis()).collect();
        assert_eq!(pauses, [20, 40, 80, 160, 320, 640, 1_000, 1_000]);
        assert_eq!(backoff.next(0.0), Duration::from_millis(500));
        assert_eq!(backoff.next(1.0), Duration::from_millis(1_500));
    }
}
