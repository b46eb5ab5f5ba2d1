//! The scheduled collection of garbage.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Result, Span, TableAdmin};
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
    /// it. It keeps the duty during the sleep, so that no other process begins another collection
    /// meanwhile, but not after a failure that stays: another process may be permitted to collect.
    /// A failure is logged, counted and retried.
    pub(super) async fn collect_repeatedly(self: Arc<Self>, tables: Arc<dyn TableAdmin>) {
        let period = self.limits.garbage_period;
        let first = || Pauses::new(PAUSE.min(period), period);
        let mut pauses = first();
        sleep(period / FIRST).await;
        loop {
            let (pause, _duty) = match self.client.take_duty(Client::GARBAGE_DUTY).await {
                Ok(None) => (PAUSE.min(period), None),
                Ok(duty) => match self.collect(&*tables).await {
                    Ok(()) => {
                        pauses = first();
                        (period, duty)
                    }
                    Err(error) => (pauses.next_pause(), duty.filter(|_| error.kind().is_passing())),
                },
                Err(error) => {
                    warn!(%error, "garbage collection cannot begin; retrying");
                    (pauses.next_pause(), None)
                }
            };
            sleep(pause).await;
        }
    }

    async fn collect(&self, tables: &dyn TableAdmin) -> Result<()> {
        let begun = Instant::now();
        let collected = self.client.collect_garbage(tables, &Span::all()).await;
        let outcome = match &collected {
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
        collected.map(|_| ())
    }
}
