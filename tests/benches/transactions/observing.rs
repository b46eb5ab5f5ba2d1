//! Loading and observing, from end to end; a long-lived queue; and many waiting notifications.

use std::path::Path;
use std::time::{Duration, Instant};

use fluo_engine::{Observers, Transaction, observer_fn};
use fluo_table::{Bytes, Column, Error, Span};
use peak_alloc::PeakAlloc;

use crate::ground::{Ground, Outcome, row};
use crate::{rate, share};

/// The number of rounds: enough to separate three at the beginning from three at the end.
const QUEUE_ROUNDS: u32 = 12;
const WAITING: u64 = 100_000;

fn queued() -> Column {
    Column::new("queue", "item")
}

/// Returns the observer that removes an item from the queue.
pub(crate) fn observers() -> Result<Observers, Error> {
    let take = observer_fn(async |tx: Transaction, row: Bytes, column: Column| {
        if tx.get(row.clone(), &column).await?.is_some() {
            tx.delete(row, &column)?;
        }
        Ok::<_, Error>(())
    });
    Observers::new().strong(queued(), "take", take)
}

/// Measures rows that are loaded and observed, until the time is up and the queue is empty.
pub(crate) async fn end_to_end(directory: &Path, time: Duration) -> Outcome {
    let ground = Ground::observed(&directory.join("observed"), observers()?).await?;
    let worker = ground.client.worker().start().await?;
    let begun = Instant::now();
    let count = load(&ground, 0, |_| begun.elapsed() < time).await?;
    ground.client.wait_until_idle().await?;
    rate("load + observer, rows from end to end", count, begun.elapsed())?;
    worker.stop().await;
    Ok(())
}

/// Loads items while `goes_on` returns `true`.
async fn load(ground: &Ground, first: u64, goes_on: impl Fn(u64) -> bool) -> Outcome<u64> {
    let loaders = ground.client.loaders().tasks(64).queue(64).start()?;
    let mut count = 0;
    while goes_on(count) {
        let number = first + count;
        loaders
            .load(number, async |tx, number| tx.set(row(number), &queued(), number.to_string()))
            .await?;
        count += 1;
    }
    loaders.finish().await?;
    Ok(count)
}

/// Measures a queue for many more items than it ever contains, and compares the last rounds with
/// the first. The collection of garbage at the end of each round is part of the cost of a
/// long-lived queue.
pub(crate) async fn long_lived(directory: &Path, length: Duration) -> Outcome {
    let ground = Ground::observed(&directory.join("queue"), observers()?).await?;
    let worker = ground.client.worker().start().await?;
    let (mut first, mut observed, mut collected) = (0, Vec::new(), Vec::new());
    for round in 1..=QUEUE_ROUNDS {
        let begun = Instant::now();
        let is_time = |_| begun.elapsed() < length / QUEUE_ROUNDS;
        let count = load(&ground, first, is_time).await?;
        ground.client.wait_until_idle().await?;
        let elapsed = begun.elapsed();
        ground.client.collect_garbage(&*ground.tables, &Span::all()).await?;
        first += count;
        let what = format!("queue, round {round}: rows from end to end");
        observed.push(rate(&what, count, elapsed)?);
        let what = "  with the collection of the garbage";
        collected.push(rate(what, count, begun.elapsed())?);
    }
    worker.stop().await;
    late_beside_early("of rounds 2 to 4 in the last three (goal: no slower)", &observed)?;
    late_beside_early("  the same with the collection of the garbage", &collected)
}

/// Prints the late rate over the early one. The first round finds an empty table, so it does not
/// count.
fn late_beside_early(what: &str, rates: &[u128]) -> Outcome {
    let early = rates.iter().skip(1).take(3).sum::<u128>();
    let late = rates.iter().rev().take(3).sum::<u128>();
    share(what, late, early)
}

/// Measures the memory of a worker that starts while many notifications wait.
pub(crate) async fn many_waiting(directory: &Path, memory: &PeakAlloc) -> Outcome {
    let ground = Ground::observed(&directory.join("waiting"), observers()?).await?;
    load(&ground, 0, |count| count < WAITING).await?;
    memory.reset_peak_usage();
    let before = memory.current_usage();
    let begun = Instant::now();
    let worker = ground.client.worker().start().await?;
    ground.client.wait_until_idle().await?;
    worker.stop().await;
    rate("worker: waiting notifications, all processed", WAITING, begun.elapsed())?;
    let grown = memory.peak_usage().saturating_sub(before);
    rate("  its peak memory, in bytes", u64::try_from(grown)?, Duration::from_secs(1))?;
    Ok(())
}
