//! The scheduled collection of garbage.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Span, TableAdmin};
use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use crate::client::Client;
use crate::context::Pauses;
use crate::observer::worker::WorkerState;

/// The first collection begins this part of a period after the start, so a process that runs for
/// less than a period collects garbage too.
const FIRST: u32 = 10;

/// The pause after the first failure; it doubles with every further one, up to a period. Also the
/// pause before the next try to take the duty from another process.
const PAUSE: Duration = Duration::from_secs(60);

impl WorkerState {
    /// Collects garbage and sleeps in turn, until the task is aborted, unless another process does
    /// it. It keeps the duty during the sleep, also after a failure, so that no other process
    /// begins another collection meanwhile. A failure is logged, counted and retried.
    pub(super) async fn collect_repeatedly(self: Arc<Self>, tables: Arc<dyn TableAdmin>) {
        let period = self.limits.garbage_period;
        let first = || Pauses::new(PAUSE.min(period), period);
        let mut pauses = first();
        sleep(period / FIRST).await;
        loop {
            let (is_collected, _duty) = match self.client.take_duty(Client::GARBAGE_DUTY).await {
                Ok(None) => {
                    sleep(PAUSE.min(period)).await;
                    continue;
                }
                Ok(duty) => (self.collect(&*tables).await, duty),
                Err(error) => {
                    warn!(%error, "garbage collection cannot begin; retrying");
                    (false, None)
                }
            };
            if is_collected {
                pauses = first();
            }
            sleep(if is_collected { period } else { pauses.next_pause() }).await;
        }
    }

    async fn collect(&self, tables: &dyn TableAdmin) -> bool {
        let begun = Instant::now();
        let outcome = match self.client.collect_garbage(tables, &Span::all()).await {
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
