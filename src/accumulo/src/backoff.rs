//! Pauses between attempts.

use std::time::Duration;

use fluo_table::Result;
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

/// Repeats a request until its answer shows a change of a table. Returns `None` once the limit has
/// passed.
pub(crate) async fn settle<A, T, F: Future<Output = Result<A>>>(
    request: impl Fn() -> F,
    mut shown: impl FnMut(A) -> Option<T>,
) -> Result<Option<T>> {
    let (begin, mut backoff) = (Instant::now(), Backoff::new(FIRST_PAUSE, MAX_PAUSE));
    loop {
        let found = shown(request().await?);
        if found.is_some() || begin.elapsed() > LIMIT {
            return Ok(found);
        }
        backoff.wait().await;
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
