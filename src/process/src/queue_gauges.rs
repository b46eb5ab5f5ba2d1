//! The gauges of queues: one worker process of an application reads the backlogs.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use fluo_engine::Client;
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::Result;
use fluo_table::coordination::HeldLock;
use tokio::time::sleep;
use tracing::warn;

const DUTY: &str = "queue-gauges";
/// The pause after a reading, and before the next try to take the duty from another process.
const PAUSE: Duration = Duration::from_secs(60);
/// Maximum number of entries of a queue that a reading counts.
const MAX_ENTRIES: u64 = 10_000;

/// Starts the counters of each queue, and reads its backlog again and again, unless another process
/// does, until it is dropped. A failure is logged and retried.
pub(crate) async fn maintain(client: &Client) -> Infallible {
    let settings = &client.application().settings;
    let queues = StoredQueue::all(settings).inspect_err(|error| {
        warn!(%error, "the queues have no gauges");
    });
    let queues = queues.unwrap_or_default();
    if queues.is_empty() {
        return pending().await;
    }
    queues.iter().for_each(StoredQueue::start_counters);
    let mut duty = None;
    loop {
        if let Err(error) = read(client, &queues, &mut duty).await {
            warn!(%error, "the gauges of queues are not updated; retrying");
        }
        sleep(PAUSE).await;
    }
}

async fn read(
    client: &Client,
    queues: &[StoredQueue],
    duty: &mut Option<Box<dyn HeldLock>>,
) -> Result<()> {
    if duty.as_ref().is_some_and(|duty| duty.has_ended()) {
        // Another process may read them now.
        queues.iter().for_each(StoredQueue::clear_gauges);
        *duty = None;
    }
    if duty.is_none() {
        *duty = client.take_duty(DUTY).await?;
    }
    if duty.is_some() {
        let snapshot = client.snapshot().await?;
        for queue in queues {
            queue.set_gauges(&queue.estimate_backlog(&snapshot, MAX_ENTRIES).await?);
        }
    }
    Ok(())
}
