//! The pause after a change of the shares.

use std::time::Duration;

use fluo_table::coordination::Share;
use tokio::time::Instant;

use super::finders::Placed;

/// The current share of a worker, which it may use only after a pause without changes. Meanwhile
/// the others can notice the same change.
#[derive(Debug)]
pub(super) struct Pause {
    length: Duration,
    placed: Option<Placed>,
    changed: Instant,
}

impl Pause {
    pub(super) fn new(length: Duration) -> Self {
        Self { length, placed: None, changed: Instant::now() }
    }

    /// Sets the current share, and begins a new pause if it has changed.
    pub(super) fn set(&mut self, placed: Option<Placed>) {
        if self.placed != placed {
            self.placed = placed;
            self.changed = Instant::now();
        }
    }

    /// Returns the current share, or `None` during the pause.
    pub(super) fn share(&self) -> Option<Share> {
        let placed = self.placed.as_ref()?;
        (self.changed.elapsed() >= self.length).then(|| placed.share.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::coordination::place::Place;

    fn placed(workers: usize, splits: &[&'static str]) -> Option<Placed> {
        let splits: Vec<_> = splits.iter().map(|row| (*row).into()).collect();
        let place = Place::new(workers, 0, NonZeroU32::MIN);
        let share = place.share(&splits).unwrap();
        Some(Placed { place, share })
    }

    #[tokio::test(start_paused = true)]
    async fn gives_the_share_only_after_a_pause_without_changes() {
        let second = Duration::from_secs(1);
        let mut pause = Pause::new(second * 60);
        assert_eq!(pause.share(), None);
        let changes = [
            placed(1, &[]),
            // Another number of workers, although the share is the same.
            placed(2, &[]),
            placed(2, &["g", "m"]),
            None,
            placed(2, &["g", "m"]),
        ];
        for change in changes {
            pause.set(change.clone());
            for _ in 0..59 {
                assert_eq!(pause.share(), None);
                tokio::time::advance(second).await;
                pause.set(change.clone());
            }
            assert_eq!(pause.share(), None);
        }
        tokio::time::advance(second).await;
        let expected = placed(2, &["g", "m"]).map(|placed| placed.share);
        assert_eq!(pause.share(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_pause_the_share_is_given_at_once() {
        let mut pause = Pause::new(Duration::ZERO);
        pause.set(placed(1, &[]));
        assert_eq!(pause.share(), placed(1, &[]).map(|placed| placed.share));
    }
}
