//! A value that is requested at the first use, once for all callers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// A value that many callers need and one of them requests. Concurrent callers wait and get the
/// same answer, also if it is an error: otherwise each would make its own attempt and fail, one
/// after the other. A caller that arrives after an error requests the value again.
#[derive(Debug)]
pub(crate) struct Asked<T> {
    asking: tokio::sync::Mutex<()>,
    last: Mutex<Last<T>>,
}

#[derive(Debug)]
struct Last<T> {
    value: Option<T>,
    error: Option<Error>,
    failures: u64,
}

impl<T: Clone> Asked<T> {
    pub(crate) fn new() -> Self {
        Self {
            asking: tokio::sync::Mutex::new(()),
            last: Mutex::new(Last { value: None, error: None, failures: 0 }),
        }
    }

    /// Returns the value, and requests it with `ask` if it is missing and no other caller is
    /// requesting it. If the caller is dropped during the request, the next caller requests the
    /// value. The caller enforces the time limit.
    pub(crate) async fn get(&self, ask: impl Future<Output = Result<T>>) -> Result<T> {
        let failures_before = self.lock().failures;
        if let Some(value) = self.value() {
            return Ok(value);
        }
        let _asking = self.asking.lock().await;
        if let Some(answer) = self.answer_since(failures_before) {
            return answer;
        }
        let answer = ask.await;
        self.keep(&answer);
        answer
    }

    /// Removes and returns the value if `is_that` accepts it.
    pub(crate) fn forget(&self, is_that: impl FnOnce(&T) -> bool) -> Option<T> {
        self.lock().value.take_if(|value| is_that(value))
    }

    fn value(&self) -> Option<T> {
        self.lock().value.clone()
    }

    fn answer_since(&self, failures_before: u64) -> Option<Result<T>> {
        let last = self.lock();
        match (&last.value, &last.error) {
            (Some(value), _) => Some(Ok(value.clone())),
            (None, Some(error)) if last.failures > failures_before => Some(Err(error.clone())),
            _ => None,
        }
    }

    fn keep(&self, answer: &Result<T>) {
        let mut last = self.lock();
        match answer {
            Ok(value) => last.value = Some(value.clone()),
            Err(error) => {
                last.error = Some(error.clone());
                last.failures = last.failures.wrapping_add(1);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Last<T>> {
        // Each step leaves the state consistent, so a panic elsewhere does no harm.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
