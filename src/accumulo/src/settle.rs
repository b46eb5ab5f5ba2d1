//! Pauses while a change spreads.

use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;

/// Longest wait for a change that usually takes milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
/// First pause; a check takes about as long.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The pauses between two checks, up to a limit.
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
