//! Where the salts come from that are drawn.

use std::sync::{Mutex, PoisonError};

use fastrand::Rng;

/// A source of numbers; with a seed, of the same numbers in every run.
pub(super) fn source(seed: Option<u64>) -> impl Fn() -> u64 + Send + Sync + 'static {
    let random = Mutex::new(seed.map_or_else(Rng::new, Rng::with_seed));
    move || {
        let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
        random.u64(..)
    }
}
