//! Increments of counters.

use fluo_table::Result;

use super::{Actor, number_of};
use crate::ground::number;
use crate::recorded::Recorded;

const COUNTERS: [&str; 2] = ["count:a", "count:b"];

/// Adds one to a counter.
pub(super) async fn count(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let row = world.random.pick(&COUNTERS);
    let count = async |tx| {
        let counter = Recorded::new(world, "counter", &tx);
        let count = number_of(counter.get(row, &number()).await?.as_ref());
        counter.set(row, &number(), format!("{}/{}", count + 1, tx.start()))?;
        Ok(counter.story())
    };
    actor.run(count).await
}
