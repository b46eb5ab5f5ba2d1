//! A value that one caller creates for all.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// A value that is created by one attempt at a time. A caller that waited while an attempt failed
/// gets its error, and makes no attempt of its own.
pub(crate) struct SharedValue<T> {
    /// Held during an attempt.
    attempts: tokio::sync::Mutex<()>,
    state: Mutex<State<T>>,
}

struct State<T> {
    failures: u64,
    last: Option<Result<T>>,
}

impl<T> fmt::Debug for SharedValue<T> {
    /// Leaves out the value, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedValue").finish_non_exhaustive()
    }
}

impl<T> Default for SharedValue<T> {
    fn default() -> Self {
        let state = State { failures: 0, last: None };
        Self { attempts: tokio::sync::Mutex::default(), state: Mutex::new(state) }
    }
}

impl<T: Clone> SharedValue<T> {
    /// Returns the value, and creates it if necessary.
    pub(crate) async fn get(&self, create: impl AsyncFnOnce() -> Result<T>) -> Result<T> {
        let failures = self.lock().failures;
        if let Some(created) = self.created(failures) {
            return created;
        }
        let _alone = self.attempts.lock().await;
        if let Some(created) = self.created(failures) {
            return created;
        }
        let created = create().await;
        let mut state = self.lock();
        state.failures += u64::from(created.is_err());
        state.last = Some(created.clone());
        created
    }

    /// Forgets the value if `is_old`. A new value that another caller created meanwhile stays.
    pub(crate) fn forget(&self, is_old: impl FnOnce(&T) -> bool) {
        self.lock().last.take_if(|last| last.as_ref().is_ok_and(is_old));
    }

    /// Returns the value, or the last failure if there are more than this number.
    fn created(&self, failures: u64) -> Option<Result<T>> {
        let state = self.lock();
        state.last.clone().filter(|last| last.is_ok() || state.failures > failures)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Each step leaves the state consistent, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
