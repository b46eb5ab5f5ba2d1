//! The source of drawn salts.

use std::sync::{Mutex, PoisonError};

use fastrand::Rng;

/// Returns a source of random numbers. With a seed, it yields the same numbers in every run.
pub(super) fn source(seed: Option<u64>) -> impl Fn() -> u64 + Send + Sync + 'static {
    let random = Mutex::new(seed.map_or_else(Rng::new, Rng::with_seed));
    move || {
        let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
        random.u64(..)
    }
}
