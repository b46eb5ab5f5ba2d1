//! Parcels for the receiver of an export queue.

use fluo_table::Result;

use super::{Actor, number_of, value};
use crate::ground::number;
use crate::queues::KEYS;

/// Sends the next parcel of a key. Its number is counted in a row, so the transactions of a key
/// conflict, and its sequences are in the order of the commits.
pub(super) async fn send(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let Some(queues) = &world.queues else { return Ok(()) };
    let key = world.random.pick(&KEYS);
    let row = format!("count:{key}");
    let tx = actor.begin().await?;
    let sender = actor.record("sender", &tx);
    let parcel = number_of(sender.get(&row, &number()).await?.as_ref()) + 1;
    sender.set(&row, &number(), value(parcel, &tx))?;
    queues.parcels.add(&tx, key, parcel)?;
    let sent = (key.to_owned(), parcel);
    world.queue_log().sent.insert(tx.start(), sent);
    let story = sender.story();
    actor.commit(tx, story).await
}
