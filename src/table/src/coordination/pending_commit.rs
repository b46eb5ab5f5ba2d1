//! Commit timestamps whose writes cannot be seen yet (C18).

use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};
use std::{fmt, mem};

use crate::data::Timestamp;

/// The commit timestamp of a transaction that is written in one step. It is pending until this is
/// dropped: its writes can be seen then, or it is certain that they never will be (C18).
pub struct PendingCommit {
    timestamp: Timestamp,
    horizon: Timestamp,
    end: Option<Box<dyn FnOnce() -> Vec<Waker> + Send>>,
}

impl PendingCommit {
    /// Returns a pending commit with the horizon that was in force when its timestamp was handed
    /// out. `end` ends it, and returns the callers to wake.
    pub fn new(
        timestamp: Timestamp,
        horizon: Timestamp,
        end: impl FnOnce() -> Vec<Waker> + Send + 'static,
    ) -> Self {
        Self { timestamp, horizon, end: Some(Box::new(end)) }
    }

    /// Returns the commit timestamp.
    pub fn timestamp(&self) -> Timestamp {
        self.timestamp
    }

    /// Returns the horizon at the instant at which the timestamp was handed out.
    pub fn horizon(&self) -> Timestamp {
        self.horizon
    }
}

impl Drop for PendingCommit {
    fn drop(&mut self) {
        self.end.take().map(|end| end()).into_iter().flatten().for_each(Waker::wake);
    }
}

impl fmt::Debug for PendingCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PendingCommit").field(&self.timestamp).finish()
    }
}

/// The pending commits of an application in one process, for implementers of
/// [`Coordination`](super::Coordination).
#[derive(Debug, Default)]
pub struct PendingCommits {
    /// The start of each, by its commit timestamp.
    starts: BTreeMap<Timestamp, Timestamp>,
    /// The callers that wait for the end of all commits below a timestamp.
    waiting: BTreeMap<Timestamp, Vec<Waker>>,
}

impl PendingCommits {
    /// Adds a commit of the transaction that began at `start`.
    pub fn begin(&mut self, commit: Timestamp, start: Timestamp) {
        self.starts.insert(commit, start);
    }

    /// Ends a commit, and returns the callers that wait no longer. Wake them without a lock.
    pub fn end(&mut self, commit: Timestamp) -> Vec<Waker> {
        self.starts.remove(&commit);
        let still = match self.starts.keys().next() {
            Some(first) => self.waiting.split_off(&first.next().unwrap_or(Timestamp::MAX)),
            None => BTreeMap::new(),
        };
        mem::replace(&mut self.waiting, still).into_values().flatten().collect()
    }

    /// Waits until no commit below a timestamp is pending.
    pub fn poll_ended_below(&mut self, timestamp: Timestamp, context: &Context<'_>) -> Poll<()> {
        if self.starts.keys().next().is_none_or(|first| *first >= timestamp) {
            return Poll::Ready(());
        }
        let wakers = self.waiting.entry(timestamp).or_default();
        if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            wakers.push(context.waker().clone());
        }
        Poll::Pending
    }

    /// Returns the highest timestamp that the horizon may have: that of the oldest start, or
    /// `next`, the next timestamp.
    pub fn max_horizon(&self, next: Timestamp) -> Timestamp {
        self.starts.values().min().map_or(next, |oldest| next.min(*oldest))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    #[test]
    fn a_caller_waits_for_lower_commits_and_is_woken_once() {
        let mut commits = PendingCommits::default();
        for commit in [5, 7, 9] {
            commits.begin(at(commit), at(commit - 4));
        }
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let context = Context::from_waker(&waker);
        assert!(commits.poll_ended_below(at(5), &context).is_ready());
        for _ in 0..2 {
            assert!(commits.poll_ended_below(at(8), &context).is_pending());
        }
        assert_eq!(commits.max_horizon(at(20)), at(1));
        assert_eq!(commits.end(at(9)).len() + commits.end(at(5)).len(), 0);
        assert_eq!(commits.max_horizon(at(20)), at(3));
        let ended = commits.end(at(7));
        assert_eq!(ended.len(), 1);
        assert!(commits.poll_ended_below(at(8), &context).is_ready());
        assert_eq!(commits.max_horizon(at(20)), at(20));

        commits.begin(at(11), at(10));
        assert!(commits.poll_ended_below(at(12), &context).is_pending());
        let pending = PendingCommit::new(at(11), at(2), move || commits.end(at(11)));
        assert_eq!((pending.timestamp(), pending.horizon()), (at(11), at(2)));
        drop(pending);
        assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    }
}
