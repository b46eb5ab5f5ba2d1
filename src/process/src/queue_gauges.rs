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
        update(client, &queues, &mut duty).await;
        sleep(PAUSE).await;
    }
}

async fn update(client: &Client, queues: &[StoredQueue], duty: &mut Option<Box<dyn HeldLock>>) {
    if let Err(error) = read(client, queues, duty).await {
        warn!(%error, "the gauges of queues are not updated; retrying");
        release(queues, duty);
    }
}

/// Lets another process read the backlogs, and shows no figures that are not read again.
fn release(queues: &[StoredQueue], duty: &mut Option<Box<dyn HeldLock>>) {
    if duty.take().is_some() {
        queues.iter().for_each(StoredQueue::clear_gauges);
    }
}

async fn read(
    client: &Client,
    queues: &[StoredQueue],
    duty: &mut Option<Box<dyn HeldLock>>,
) -> Result<()> {
    if duty.as_ref().is_some_and(|duty| duty.has_ended()) {
        release(queues, duty);
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

#[cfg(test)]
mod tests {
    use fluo_engine::InstanceExt;
    use fluo_recipes::combine_queue::{CombineQueue, Sum};
    use fluo_table::{Instance, TableAdmin};

    use super::*;

    /// A process that could not read the table kept the duty.
    #[tokio::test]
    async fn a_process_that_cannot_read_leaves_the_gauges_to_another() {
        let fluo = Instance::in_memory();
        let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
        let client = fluo.application("web").recipe(&words).create().await.unwrap();
        let queues = StoredQueue::all(&client.application().settings).unwrap();
        let mut duty = None;
        update(&client, &queues, &mut duty).await;
        assert!(duty.is_some() && client.take_duty(DUTY).await.unwrap().is_none());
        fluo.delete_table("web").await.unwrap();
        update(&client, &queues, &mut duty).await;
        assert!(duty.is_none() && client.take_duty(DUTY).await.unwrap().is_some());
    }
}
