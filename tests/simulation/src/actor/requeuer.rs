//! Requeueing of rejected parcels.

use fluo_recipes::stored_queue::DeadLetter;
use fluo_table::{Error, Result};
use futures::TryStreamExt;

use super::Actor;

/// Requeues some dead letters of the export queue, or all of them.
pub(super) async fn requeue(actor: &Actor) -> Result<()> {
    let random = &actor.world.random;
    requeue_if(actor, |_| random.chance(500)).await
}

/// Requeues all dead letters of the export queue.
pub(crate) async fn requeue_all(actor: &Actor) -> Result<()> {
    requeue_if(actor, |_| true).await
}

async fn requeue_if(actor: &Actor, is_chosen: impl Fn(&DeadLetter) -> bool) -> Result<()> {
    let Some(queues) = &actor.world.queues else { return Ok(()) };
    let snapshot = actor.client.snapshot().await?;
    let stored = queues.stored_parcels()?;
    let letters: Vec<DeadLetter> = stored.dead_letters(&snapshot).try_collect().await?;
    for letter in letters.into_iter().filter(is_chosen) {
        let requeue = actor.client.run(async |tx| stored.requeue(&tx, &letter).await);
        let is_requeued: Result<bool, Error> = requeue.await;
        let is_requeued = is_requeued?;
        actor.world.trace.add(format_args!("requeues {} {is_requeued}", letter.sequence));
    }
    Ok(())
}
