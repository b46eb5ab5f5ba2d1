//! How long a commit waits for more calls.
//!
//! Callers that were answered together come back together, a moment later. A commit that sets out with the first
//! of them leaves the others to the next one, and the two then alternate, each half full: measured, half the rate.
//! So a commit waits until as many calls are there as were answered last, on top of those that waited already;
//! but no longer, from the last answer on, than a quarter of what that commit took, and than [`MOST`]. A call that
//! comes later than that is no caller who came back: it waits for nobody, as a caller who is alone does.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The longest wait. Who was answered and wants to come back is back long before.
const MOST: Duration = Duration::from_millis(1);

/// What the last commit says about the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastCommit {
    /// Calls that it answered.
    calls: usize,
    /// Until when those are waited for.
    wait_until: Instant,
}

impl LastCommit {
    /// Of nothing: nobody is waited for.
    pub(super) fn none() -> Self {
        Self {
            calls: 0,
            wait_until: Instant::now(),
        }
    }

    /// A commit that began then, and has just answered so many calls.
    pub(super) fn of(calls: usize, began: Instant) -> Self {
        let now = Instant::now();
        let wait = (now.duration_since(began) / 4).min(MOST);
        Self {
            calls,
            wait_until: now + wait,
        }
    }
}

/// The waiting of one commit.
#[derive(Debug)]
pub(super) struct Patience {
    last: LastCommit,
    /// How many calls were there when the waiting began.
    waited_already: Option<usize>,
}

impl Patience {
    pub(super) fn after(last: LastCommit) -> Self {
        Self {
            last,
            waited_already: None,
        }
    }

    /// The next request of an empty queue, with so many calls there already, if it is worth waiting for.
    pub(super) fn wait<T>(&mut self, queue: &Receiver<T>, calls: usize) -> Option<T> {
        let waited_already = *self.waited_already.get_or_insert(calls);
        // The first of the calls that are there may itself be one that came back.
        let expected = waited_already + self.last.calls.saturating_sub(1);
        if calls >= expected {
            return None;
        }
        // Callers are back within microseconds, one after the other. To sleep and be woken for each of them costs
        // more than that: measured, a fifth of the rate.
        while Instant::now() < self.last.wait_until {
            if let Ok(next) = queue.try_recv() {
                return Some(next);
            }
            std::thread::yield_now();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    /// A commit of so many calls that took an hour.
    fn long_commit(calls: usize) -> LastCommit {
        LastCommit::of(calls, Instant::now().checked_sub(HOUR).unwrap())
    }

    #[test]
    fn a_caller_who_is_alone_waits_for_nobody() {
        let (sender, queue) = channel();
        sender.send(()).unwrap();
        // What is in the queue would be taken if there were any waiting.
        for last in [LastCommit::none(), long_commit(1)] {
            assert_eq!(Patience::after(last).wait(&queue, 1), None);
        }
    }

    #[test]
    fn callers_who_were_answered_are_waited_for_until_they_are_back() {
        let (sender, queue) = channel();
        for number in 0..3 {
            sender.send(number).unwrap();
        }
        let last = LastCommit {
            calls: 3,
            wait_until: Instant::now() + HOUR,
        };
        let mut patience = Patience::after(last);
        assert_eq!(patience.wait(&queue, 2), Some(0));
        assert_eq!(patience.wait(&queue, 3), Some(1));
        assert_eq!(patience.wait(&queue, 4), None);
    }

    #[test]
    fn the_wait_is_a_quarter_of_the_last_commit_and_no_more_than_a_millisecond() {
        let (_sender, queue) = channel::<()>();
        let start = Instant::now();
        assert_eq!(Patience::after(long_commit(64)).wait(&queue, 1), None);
        assert!(start.elapsed() >= MOST, "{:?}", start.elapsed());
        assert!(long_commit(64).wait_until <= Instant::now() + MOST);
        let short = LastCommit::of(64, Instant::now());
        assert!(short.wait_until < Instant::now() + MOST / 4);
    }

    #[test]
    fn who_comes_late_waits_for_nobody() {
        let (sender, queue) = channel();
        let last = long_commit(64);
        std::thread::sleep(2 * MOST);
        sender.send(()).unwrap();
        assert_eq!(Patience::after(last).wait(&queue, 1), None);
    }
}
