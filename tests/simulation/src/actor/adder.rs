//! Updates of the sums of a combine queue, and reads of the sums.

use fluo_table::Result;
use futures::TryStreamExt;

use super::Actor;
use crate::queue_log::Sums;
use crate::queues::{KEYS, Queues};

/// Adds numbers to some sums, or reads the sums.
pub(super) async fn add(actor: &Actor) -> Result<()> {
    let Some(queues) = &actor.world.queues else { return Ok(()) };
    let random = &actor.world.random;
    if random.chance(300) {
        return read(actor, queues).await;
    }
    let tx = actor.begin().await?;
    let story = actor.record("adder", &tx).story();
    let mut updates = Vec::new();
    for key in KEYS {
        if random.chance(500) {
            let number = i64::try_from(random.below(7)).unwrap_or_default() - 2;
            updates.push((key.to_owned(), number));
        }
    }
    queues.sums.extend(&tx, updates.clone())?;
    let start = tx.start();
    actor.world.queue_log().updates.insert(start, updates);
    if random.chance(200) {
        actor.dawdle().await;
    }
    actor.commit(tx, story).await
}

/// Reads all sums at a snapshot: some keys, or the whole queue.
pub(crate) async fn read(actor: &Actor, queues: &Queues) -> Result<()> {
    let world = &actor.world;
    let snapshot = actor.client.snapshot().await?;
    world.history().begin("sum reader", snapshot.start());
    if world.random.chance(400) {
        actor.rest().await;
    }
    let sums: Sums = match world.random.chance(500) {
        true => queues.sums.iter(&snapshot).try_collect().await?,
        false => {
            let values = queues.sums.get_many(&snapshot, KEYS).await?;
            let pairs = KEYS.into_iter().zip(values);
            pairs.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
        }
    };
    let start = snapshot.start();
    world.trace.add(format_args!("{start} sees the sums {sums:?}"));
    world.queue_log().reads.push((start, sums));
    Ok(())
}
