//! Waiting until a change has spread.

use std::time::Duration;

use fluo_core::{Error, ErrorKind, Result};
use tokio::time::{Instant, sleep};

/// Longest wait for something that usually takes milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
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

    /// Waits before the next look.
    ///
    /// # Errors
    /// [`Uncertain`](ErrorKind::Uncertain) once the limit has passed, saying what was waited for.
    pub(crate) async fn wait(&mut self, what: impl FnOnce() -> String + Send) -> Result<()> {
        if self.begin.elapsed() > LIMIT {
            let message = format!("{}: not so after {} s", what(), LIMIT.as_secs());
            return Err(Error::new(ErrorKind::Uncertain, message));
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}
