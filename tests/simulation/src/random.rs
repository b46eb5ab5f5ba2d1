//! The one source of chance of a run.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Numbers drawn from one seed. Every random decision of a run uses this generator, in an order
/// that the run itself determines, so a seed is a run.
#[derive(Debug)]
pub(super) struct Random(Mutex<fastrand::Rng>);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(super) fn below(&self, end: u64) -> u64 {
        match end {
            0 => 0,
            _ => self.with(|rng| rng.u64(..end)),
        }
    }

    /// Returns `true` with this probability per mille.
    pub(super) fn chance(&self, per_mille: u64) -> bool {
        per_mille > 0 && self.below(1_000) < per_mille
    }

    /// Returns one of the values, or the default if there are none.
    pub(super) fn pick<T: Clone + Default>(&self, from: &[T]) -> T {
        let at = self.below(u64::try_from(from.len()).unwrap_or_default());
        let at = usize::try_from(at).unwrap_or_default();
        from.get(at).cloned().unwrap_or_default()
    }

    /// A time below `end`, in whole milliseconds.
    pub(super) fn time_below(&self, end: Duration) -> Duration {
        let end_ms = u64::try_from(end.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.below(end_ms))
    }

    fn with<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
