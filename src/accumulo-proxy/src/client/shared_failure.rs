//! The failure of an attempt that several callers wait for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// The last failure of attempts that are made one at a time. A caller that waited while an attempt
/// failed gets its error, and makes no attempt of its own.
#[derive(Debug, Default)]
pub(crate) struct SharedFailure(Mutex<(u64, Option<Error>)>);

impl SharedFailure {
    /// Returns the number of failures until now.
    pub(crate) fn count(&self) -> u64 {
        self.lock().0
    }

    /// Returns the last failure if there are more than `count`.
    pub(crate) fn since(&self, count: u64) -> Option<Error> {
        let last = self.lock();
        last.1.clone().filter(|_| last.0 > count)
    }

    pub(crate) fn add(&self, error: &Error) {
        let mut last = self.lock();
        *last = (last.0 + 1, Some(error.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Option<Error>)> {
        // Each step leaves the state consistent, so a panic elsewhere does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
