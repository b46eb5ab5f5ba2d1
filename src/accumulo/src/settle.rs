//! Waiting until a change has spread.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Longest wait for something that usually takes milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
/// A look costs about as much.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The pauses between one look and the next, up to a limit.
#[derive(Debug)]
pub(crate) struct Settling {
    begin: Instant,
    pause: Duration,
}

impl Settling {
    pub(crate) fn begin() -> Self {
        Self {
            begin: Instant::now(),
            pause: FIRST_PAUSE,
        }
    }

    /// Waits before the next look; false once the limit has passed.
    pub(crate) async fn wait(&mut self) -> bool {
        if self.begin.elapsed() > LIMIT {
            return false;
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}
