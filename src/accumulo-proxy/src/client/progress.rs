//! The progress of a call.

use std::sync::atomic::{AtomicBool, Ordering};

/// Progress of the attempts of a call, for the error when its time limit expires.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// `true` after the first request was sent.
    was_sent: AtomicBool,
    /// `true` while a request is under way.
    is_under_way: AtomicBool,
    /// `true` if a finished attempt may have taken effect, independent of the later attempts.
    is_possible: AtomicBool,
}

impl Progress {
    /// Returns the progress of a call whose request is under way.
    pub(super) fn sent() -> Self {
        let progress = Self::default();
        progress.begin();
        progress
    }

    pub(super) fn begin(&self) {
        self.was_sent.store(true, Ordering::Relaxed);
        self.is_under_way.store(true, Ordering::Relaxed);
    }

    pub(super) fn end(&self, is_possible: bool) {
        self.is_possible.fetch_or(is_possible, Ordering::Relaxed);
        self.is_under_way.store(false, Ordering::Relaxed);
    }

    pub(super) fn was_sent(&self) -> bool {
        self.was_sent.load(Ordering::Relaxed)
    }

    /// Checks whether a finished attempt may have taken effect.
    pub(super) fn is_possible(&self) -> bool {
        self.is_possible.load(Ordering::Relaxed)
    }

    pub(super) fn may_have_effect(&self) -> bool {
        self.is_under_way.load(Ordering::Relaxed) || self.is_possible()
    }
}
