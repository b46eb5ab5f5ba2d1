//! Locks of state in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose data is consistent even if a holder panicked: every change is checked before
/// it is applied.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
