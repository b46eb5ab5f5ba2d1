//! Polling for events outside of this process that send no notification.

use std::thread;
use std::time::{Duration, Instant};

/// The pause between two polls.
const PAUSE: Duration = Duration::from_millis(50);

/// A point in time at which waiting ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at: Instant,
}

impl Deadline {
    /// Returns the deadline after a duration from now.
    pub(crate) fn after(wait: Duration) -> Deadline {
        Deadline {
            at: Instant::now() + wait,
        }
    }

    /// Polls until a condition holds. Returns `false` if the deadline passes first. It polls at
    /// least once.
    pub(crate) fn until(self, mut is_true: impl FnMut() -> bool) -> bool {
        loop {
            if is_true() {
                return true;
            }
            if !self.pause() {
                return false;
            }
        }
    }

    /// Sleeps for a moment. Returns `false` if the deadline has passed.
    pub(crate) fn pause(self) -> bool {
        thread::sleep(PAUSE);
        Instant::now() < self.at
    }
}
