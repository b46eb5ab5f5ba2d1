//! The turns of the workers of one client to collect garbage.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The maximum pause before a worker asks again, while another one collects garbage.
const PAUSE: Duration = Duration::from_secs(60);

/// The collections of garbage by the workers of one client.
#[derive(Debug, Default)]
pub(crate) struct GarbageTurns {
    last: Mutex<Option<Collection>>,
}

#[derive(Clone, Copy, Debug)]
enum Collection {
    UnderWay,
    Ended(Instant),
}

impl GarbageTurns {
    /// Begins a collection. If a collection is in progress, or one ended less than a period ago,
    /// returns the pause before the next try instead.
    pub(crate) fn begin(&self, period: Duration) -> Result<Turn<'_>, Duration> {
        let mut last = self.locked();
        match *last {
            Some(Collection::UnderWay) => return Err(PAUSE.min(period)),
            Some(Collection::Ended(at)) if at.elapsed() < period => {
                return Err(period.saturating_sub(at.elapsed()));
            }
            Some(Collection::Ended(_)) | None => {}
        }
        *last = Some(Collection::UnderWay);
        Ok(Turn { collections: self })
    }

    fn locked(&self) -> MutexGuard<'_, Option<Collection>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to collect garbage. One task of a client has it at a time.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    collections: &'a GarbageTurns,
}

impl Turn<'_> {
    pub(crate) fn end(self, is_collected: bool) {
        if is_collected {
            *self.collections.locked() = Some(Collection::Ended(Instant::now()));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut last = self.collections.locked();
        if let Some(Collection::UnderWay) = *last {
            *last = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Two workers of a process collected garbage at once, and each compacted the whole table.
    /// While a collection is in progress the other worker asks again after a minute: the collection
    /// may fail, and then that worker tries next.
    #[tokio::test(start_paused = true)]
    async fn waits_a_minute_for_a_collection_in_progress_and_a_period_after_one() {
        let collections = GarbageTurns::default();
        let hour = MINUTE * 60;
        let first = collections.begin(hour).unwrap();
        assert_eq!(collections.begin(hour).unwrap_err(), MINUTE);
        assert_eq!(collections.begin(MINUTE / 2).unwrap_err(), MINUTE / 2);
        first.end(false);

        let second = collections.begin(hour).unwrap();
        // Stopping a worker drops its task in the middle of a collection.
        drop(second);
        collections.begin(hour).unwrap().end(true);
        assert_eq!(collections.begin(hour).unwrap_err(), hour);
        tokio::time::advance(MINUTE).await;
        assert_eq!(collections.begin(hour).unwrap_err(), hour - MINUTE);
        tokio::time::advance(hour).await;
        collections.begin(hour).unwrap().end(true);
    }
}
