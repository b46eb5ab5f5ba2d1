//! The lock of a mutex whose data is valid after a panic too.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a task panicked while it held the lock.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
