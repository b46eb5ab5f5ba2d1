//! Waiting for something outside of this process, which nobody announces: look, pause, look again.

use std::thread;
use std::time::{Duration, Instant};

/// How long is between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// A moment after which waiting is in vain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at: Instant,
}

impl Deadline {
    /// This long from now.
    pub(crate) fn after(wait: Duration) -> Deadline {
        Deadline {
            at: Instant::now() + wait,
        }
    }

    /// Looks until it is so; false when the time was over first. It looks once at least.
    pub(crate) fn until(self, mut is_so: impl FnMut() -> bool) -> bool {
        loop {
            if is_so() {
                return true;
            }
            if !self.pause() {
                return false;
            }
        }
    }

    /// Lets a little time pass; false when there is none left.
    pub(crate) fn pause(self) -> bool {
        thread::sleep(PAUSE);
        Instant::now() < self.at
    }
}
