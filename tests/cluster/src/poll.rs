//! Polling for events outside of this process that send no notification.

use std::thread;
use std::time::{Duration, Instant};

/// The pause between two polls.
const PAUSE: Duration = Duration::from_millis(50);

/// Polls until a condition holds. Returns `false` if it does not within some time. It polls at
/// least once.
pub fn poll(within: Duration, mut is_true: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + within;
    loop {
        if is_true() {
            return true;
        }
        thread::sleep(PAUSE);
        if Instant::now() >= end {
            return false;
        }
    }
}
