//! The failures of a proxy, and the time for which it is left out.

use std::time::Duration;

use tokio::time::Instant;

/// Maximum time for which a proxy is left out before a call tries it again.
const MAX_LEFT_OUT: Duration = Duration::from_secs(30);

/// The failures of a proxy since its last answer.
#[derive(Debug)]
pub(super) struct Health {
    /// The time for which the proxy is left out after its first failure.
    first: Duration,
    failures: u32,
    /// The time until which the proxy is left out; `None` after an answer.
    until: Option<Instant>,
    /// `true` while a call tries the proxy again.
    is_tried: bool,
}

impl Health {
    pub(super) fn new(first: Duration) -> Self {
        Self { first, failures: 0, until: None, is_tried: false }
    }

    pub(super) fn is_left_out(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns the time until which the proxy is left out, if it failed.
    pub(super) fn left_out_until(&self) -> Option<Instant> {
        self.until
    }

    /// Returns the number of failures since the last answer.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Checks whether a call may use the proxy. After a failure one call may, once the time of the
    /// proxy is over. The others may after that call had an answer, or after [`MAX_LEFT_OUT`].
    pub(super) fn may_try(&mut self) -> bool {
        let may_try = !self.is_left_out();
        if may_try && self.failures > 0 {
            self.is_tried = true;
            self.until = Instant::now().checked_add(MAX_LEFT_OUT);
        }
        may_try
    }

    /// Returns `true` if it failed before.
    pub(super) fn answered(&mut self) -> bool {
        let has_failed = self.failures > 0;
        *self = Self::new(self.first);
        has_failed
    }

    /// Leaves the proxy out, twice as long as after the failure before. Calls that fail together
    /// count as one failure. Returns `true` if it did not fail before.
    pub(super) fn failed(&mut self) -> bool {
        let is_first = self.failures == 0;
        if self.is_tried || !self.is_left_out() {
            self.is_tried = false;
            let doubled = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
            self.failures = self.failures.saturating_add(1);
            let time = self.first.saturating_mul(doubled).min(MAX_LEFT_OUT);
            self.until = Instant::now().checked_add(time);
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const FIRST: Duration = Duration::from_millis(100);

    #[tokio::test(start_paused = true)]
    async fn one_call_tries_a_proxy_again_after_times_that_double() {
        let mut health = Health::new(FIRST);
        for factor in [1, 2, 4, 8] {
            assert!(health.may_try());
            health.failed();
            // Calls that were under way fail too.
            health.failed();
            assert!(health.is_left_out());
            advance(FIRST * factor - Duration::from_millis(1)).await;
            assert!(!health.may_try());
            advance(Duration::from_millis(1)).await;
        }
        assert!(health.may_try());
        advance(FIRST * 100).await;
        assert!(!health.may_try(), "the first one waits for its answer");
        health.answered();
        assert!(health.may_try() && health.may_try());
        health.failed();
        advance(FIRST).await;
        assert!(health.may_try());
    }

    #[tokio::test(start_paused = true)]
    async fn a_proxy_is_left_out_for_half_a_minute_at_most() {
        let mut health = Health::new(FIRST);
        for _ in 0..100 {
            health.failed();
            advance(MAX_LEFT_OUT).await;
            assert!(!health.is_left_out());
        }
    }
}
