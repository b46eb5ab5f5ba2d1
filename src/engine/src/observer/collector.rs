//! The scheduled collection of garbage.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Span, TableAdmin};
use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use crate::client::Client;
use crate::context::Pauses;

/// The first collection begins this part of a period after the start, so a process that runs for
/// less than a period collects garbage too.
const FIRST: u32 = 10;

/// The pause after the first failure; it doubles with every further one, up to a period. Also the
/// pause before the next try to take the duty from another process.
const PAUSE: Duration = Duration::from_secs(60);

/// A task that collects the garbage of an application once in every period, unless another process
/// does it.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) client: Client,
    pub(super) tables: Arc<dyn TableAdmin>,
    pub(super) period: Duration,
}

impl Collector {
    /// Collects garbage and sleeps in turn, until the task is aborted. It keeps the duty during the
    /// sleep, also after a failure, so that no other process begins another collection meanwhile. A
    /// failure is logged, counted and retried.
    pub(super) async fn run(self) {
        let first = || Pauses::new(PAUSE.min(self.period), self.period);
        let mut pauses = first();
        sleep(self.period / FIRST).await;
        loop {
            let (is_collected, _duty) = match self.client.take_duty(Client::GARBAGE_DUTY).await {
                Ok(None) => {
                    sleep(PAUSE.min(self.period)).await;
                    continue;
                }
                Ok(duty) => (self.collect().await, duty),
                Err(error) => {
                    warn!(%error, "garbage collection cannot begin; retrying");
                    (false, None)
                }
            };
            if is_collected {
                pauses = first();
            }
            sleep(if is_collected { self.period } else { pauses.next_pause() }).await;
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
}
