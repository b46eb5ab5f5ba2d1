//! The scheduled collection of garbage.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fluo_table::{Span, TableAdmin};
use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use crate::client::Client;

/// The first collection begins this part of a period after the start, so a process that runs for
/// less than a period collects garbage too.
const FIRST: u32 = 10;

/// The pause after the first failure; it doubles with every further one, up to a period.
const FIRST_PAUSE: Duration = Duration::from_secs(60);

/// The collections of garbage by the workers of one client.
#[derive(Debug, Default)]
pub(crate) struct Collections {
    last: Mutex<Option<Collection>>,
}

#[derive(Clone, Copy, Debug)]
enum Collection {
    UnderWay,
    Ended(Instant),
}

/// A task that collects the garbage of an application once in every period.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) client: Client,
    pub(super) tables: Arc<dyn TableAdmin>,
    pub(super) period: Duration,
}

impl Collector {
    /// Collects garbage and sleeps in turn, until the task is aborted. A failure is logged, counted
    /// and retried.
    pub(super) async fn run(self) {
        let mut failures = 0;
        let mut pause = self.period / FIRST;
        loop {
            sleep(pause).await;
            pause = match self.client.shared.collections.begin(self.period) {
                Ok(turn) => {
                    let is_collected = self.collect().await;
                    turn.end(is_collected);
                    failures = if is_collected { 0 } else { failures + 1 };
                    self.pause_after(failures)
                }
                Err(rest) => rest,
            };
        }
    }

    async fn collect(&self) -> bool {
        let begun = Instant::now();
        let all = Span::all();
        let outcome = match self.client.collect_garbage(&*self.tables, &all).await {
            Ok(horizon) => {
                debug!(%horizon, elapsed = ?begun.elapsed(), "collected garbage");
                "collected"
            }
            Err(error) => {
                warn!(%error, "garbage collection failed; retrying");
                "failed"
            }
        };
        metrics::counter!("fluo_garbage_collections_total", "outcome" => outcome).increment(1);
        outcome == "collected"
    }

    fn pause_after(&self, failures: u32) -> Duration {
        match failures.checked_sub(1) {
            None => self.period,
            Some(doublings) => {
                let factor = 2_u32.saturating_pow(doublings);
                FIRST_PAUSE.saturating_mul(factor).min(self.period)
            }
        }
    }
}

impl Collections {
    /// Begins a collection. If a collection is in progress, or one ended less than a period ago,
    /// returns the pause before the next try instead.
    fn begin(&self, period: Duration) -> Result<Turn<'_>, Duration> {
        let mut last = self.locked();
        match *last {
            Some(Collection::UnderWay) => return Err(FIRST_PAUSE.min(period)),
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
struct Turn<'a> {
    collections: &'a Collections,
}

impl Turn<'_> {
    fn end(self, is_collected: bool) {
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
        let collections = Collections::default();
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
