//! Pauses that grow.

use std::time::Duration;

use fluo_table::Timestamp;
use tokio::time::{Instant, sleep};

use crate::context::ClientOptions;

/// Pauses of which each is twice as long as the one before, up to a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pauses {
    next: Duration,
    longest: Duration,
}

impl Pauses {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self { next: first, longest }
    }

    pub(crate) fn next_pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }
}

/// The pauses between the tries of a call. Each is shortened by up to a half, as the transaction's
/// timestamp selects, so that transactions that failed together do not retry together.
#[derive(Debug)]
pub(crate) struct Backoff {
    begun: Instant,
    pauses: Pauses,
    limit: Duration,
    drawn: u64,
}

impl Backoff {
    pub(crate) fn new(options: &ClientOptions, start: Timestamp) -> Self {
        Self {
            begun: Instant::now(),
            pauses: Pauses::new(options.first_pause, options.max_pause),
            limit: options.max_elapsed,
            drawn: start.get(),
        }
    }

    /// Waits before the next try. Returns `false` once the time is up. A wait for a lock has no
    /// such limit; see [`pause`](Self::pause).
    pub(crate) async fn wait(&mut self) -> bool {
        if self.begun.elapsed() >= self.limit {
            return false;
        }
        self.pause().await;
        true
    }

    /// Waits before the next try, even if the time is up. The checks of a lock end the wait for it.
    pub(crate) async fn pause(&mut self) {
        sleep(self.next_pause()).await;
    }

    fn next_pause(&mut self) -> Duration {
        self.drawn = mixed(self.drawn);
        cut(self.pauses.next_pause(), self.drawn)
    }
}

/// Returns a pause shortened by up to a half, as `drawn` selects.
pub(crate) fn cut(pause: Duration, drawn: u64) -> Duration {
    let part = u32::try_from(mixed(drawn) % 512).unwrap_or_default();
    pause - pause * part / 1024
}

/// Returns the number after the finalizer of SplitMix64 (Steele, Lea, Flood 2014), which maps
/// neighboring numbers to distant ones.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_pauses_to_the_longest_and_shortens_them_by_less_than_a_half() {
        let options = ClientOptions::new();
        let mut backoff = Backoff::new(&options, Timestamp::new(7).unwrap());
        let mut whole = options.first_pause;
        for _ in 0..20 {
            let pause = backoff.next_pause();
            assert!(pause <= whole && pause > whole / 2, "{pause:?} of {whole:?}");
            whole = (whole * 2).min(options.max_pause);
        }
        let other = Backoff::new(&options, Timestamp::new(8).unwrap()).next_pause();
        let same = Backoff::new(&options, Timestamp::new(7).unwrap()).next_pause();
        assert_ne!(other, same);
    }
}
