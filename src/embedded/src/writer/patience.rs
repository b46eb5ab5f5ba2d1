//! How long a commit waits for more calls.
//!
//! Callers that were answered together come back together, a moment later. A commit that sets out with the first
//! of them leaves the others to the next one, and the two then alternate, each half full: measured, half the rate.
//! So a commit waits until as many calls are there as were answered last, on top of those that waited already;
//! but never longer than a quarter of what the last commit took. A caller who is alone waits for nobody.

use std::time::{Duration, Instant};

/// What the last commit says about the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastCommit {
    /// Calls that it answered.
    pub(super) calls: usize,
    /// How long it took.
    pub(super) took: Duration,
}

/// The waiting of one commit.
#[derive(Debug)]
pub(super) struct Patience {
    last: LastCommit,
    /// When the waiting began, and how many calls were there then.
    begun: Option<(Instant, usize)>,
}

impl Patience {
    pub(super) fn after(last: LastCommit) -> Self {
        Self { last, begun: None }
    }

    /// Whether to wait no longer, with so many calls there and none more in the queue; gives way to others if not.
    pub(super) fn is_over(&mut self, calls: usize) -> bool {
        let (start, waited_already) = *self.begun.get_or_insert_with(|| (Instant::now(), calls));
        // The first of the calls that are there may itself be one that came back.
        let expected = waited_already + self.last.calls.saturating_sub(1);
        if calls >= expected || start.elapsed() > self.last.took / 4 {
            return true;
        }
        std::thread::yield_now();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_who_is_alone_waits_for_nobody() {
        let alone = LastCommit {
            calls: 1,
            took: Duration::from_secs(3600),
        };
        assert!(Patience::after(LastCommit::default()).is_over(1));
        assert!(Patience::after(alone).is_over(1));
    }

    #[test]
    fn callers_who_were_answered_are_waited_for_until_they_are_back() {
        let mut patience = Patience::after(LastCommit {
            calls: 3,
            took: Duration::from_secs(3600),
        });
        assert!(!patience.is_over(2));
        assert!(!patience.is_over(3));
        assert!(patience.is_over(4));
    }

    #[test]
    fn waiting_is_bounded_by_the_last_commit() {
        let mut patience = Patience::after(LastCommit {
            calls: 64,
            took: Duration::ZERO,
        });
        while !patience.is_over(1) {}
    }
}
