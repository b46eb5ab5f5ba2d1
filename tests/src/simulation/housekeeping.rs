//! What happens to a table beside its transactions: garbage is collected, tablets are split and merged.

use fluo_core::{Garbage, Result, Span, TableAdmin, Timestamp};
use tokio::time::sleep;

use super::WorldBug;
use super::ground::TABLE;
use super::world::World;

const SPLITS: [&str; 5] = ["bank:c", "blind:b", "count:a", "skew:a1", "skew:b1"];

/// Collects garbage and moves split points until the run is over.
pub(super) async fn keep_house(world: World) {
    let Some(pause) = world.dials.collection else {
        return;
    };
    while !world.is_over() {
        sleep(world.random.time_below(pause)).await;
        if let Err(error) = clean(&world).await {
            world.violation(format!("garbage cannot be collected: {error}"));
        }
    }
}

async fn clean(world: &World) -> Result<()> {
    let split = world.random.pick(&SPLITS);
    match world.random.chance(500) {
        true => {
            world
                .tables
                .add_splits(TABLE, &[split.into()].into())
                .await?;
        }
        false => world.tables.merge(TABLE, None, None).await?,
    }
    let horizon = match world.random.chance(300) {
        true => world.coordination.advance_horizon().await?,
        false => world.coordination.horizon().await?,
    };
    // It is known before it is used, as the horizon that a compaction reads.
    sleep(world.random.time_below(world.dials.usual)).await;
    if !world.dials.is_late_for_ever {
        world.arrive_all().await;
    }
    collect(world, horizon).await
}

/// Collects garbage below a horizon.
pub(super) async fn collect(world: &World, horizon: Timestamp) -> Result<()> {
    let horizon = match world.bug == Some(WorldBug::HorizonTooFar) {
        true => Timestamp::MAX,
        false => horizon,
    };
    world.trace.add(format!("collects below {horizon}"));
    let garbage = Garbage::DropBelow(horizon);
    world.tables.compact(TABLE, &Span::all(), garbage).await
}
