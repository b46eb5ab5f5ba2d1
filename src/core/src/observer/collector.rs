//! The scheduled collection of garbage.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use crate::client::Client;
use crate::data::Span;
use crate::table::TableAdmin;

/// The first collection begins this part of a period after the start: processes that do not live for a whole period
/// collect garbage too.
const FIRST: u32 = 10;

/// The pause after the first failure; it doubles with every further one, up to a period.
const FIRST_PAUSE: Duration = Duration::from_secs(60);

/// The collections of this process, by the id of the application.
static COLLECTIONS: Mutex<BTreeMap<String, Collection>> = Mutex::new(BTreeMap::new());

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
    /// Collects garbage and sleeps in turn, until the task is aborted. A failure is logged and counted, and tried again.
    pub(super) async fn run(self) {
        let mut failures = 0;
        let mut pause = self.period / FIRST;
        loop {
            sleep(pause).await;
            pause = match Turn::begin(&self.client.application().id, self.period) {
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

/// The right to collect the garbage of an application: one task of this process has it at a time.
struct Turn {
    id: String,
}

impl Turn {
    /// Begins a collection, or returns how long to wait before the next try: one is under way, or one has ended less than
    /// a period ago.
    fn begin(id: &str, period: Duration) -> Result<Self, Duration> {
        let mut collections = collections();
        match collections.get(id) {
            Some(Collection::UnderWay) => return Err(FIRST_PAUSE.min(period)),
            Some(Collection::Ended(at)) if at.elapsed() < period => {
                return Err(period.saturating_sub(at.elapsed()));
            }
            Some(Collection::Ended(_)) | None => {}
        }
        collections.insert(id.to_owned(), Collection::UnderWay);
        Ok(Self { id: id.to_owned() })
    }

    fn end(self, is_collected: bool) {
        if is_collected {
            collections().insert(self.id.clone(), Collection::Ended(Instant::now()));
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut collections = collections();
        if let Some(Collection::UnderWay) = collections.get(&self.id) {
            collections.remove(&self.id);
        }
    }
}

fn collections() -> MutexGuard<'static, BTreeMap<String, Collection>> {
    COLLECTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}
