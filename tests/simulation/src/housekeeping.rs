//! Compactions of the table during its transactions: flushes, merges of files, garbage collection.

use fluo_table::{Result, Timestamp};
use tokio::time::sleep;

use super::WorldBug;
use super::server::{Attached, Tablet};
use super::world::World;

const SPLITS: [&str; 5] = ["bank:c", "blind:b", "count:a", "skew:a1", "skew:b1"];

/// Collects garbage until the run is over.
pub(super) async fn collect_garbage(world: World) {
    let Some(pause) = world.dials.collection else { return };
    while !world.is_over() {
        sleep(world.random.time_below(pause)).await;
        if let Err(error) = collect(&world).await {
            world.violation(format!("garbage cannot be collected: {error}"));
        }
    }
}

/// Flushes tablets and compacts some of their files until the run is over, as servers do on their
/// own.
pub(super) async fn keep_files(world: World) {
    let Some(pause) = world.dials.flushing else { return };
    while !world.is_over() {
        sleep(world.random.time_below(pause)).await;
        let done = match world.random.chance(600) {
            true => flush(&world, &drawn(&world)).await,
            false => compact_some(&world).await,
        };
        if let Err(error) = done {
            world.violation(format!("files cannot be compacted: {error}"));
        }
    }
}

/// Draws a tablet: as there are no others beside it, its borders may be others each time.
fn drawn(world: &World) -> Tablet {
    let mut borders = [world.random.pick(&SPLITS), world.random.pick(&SPLITS)];
    borders.sort_unstable();
    let [after, up_to] = borders.map(|border| Some(border).filter(|_| !world.random.chance(400)));
    match after == up_to {
        true => Tablet::default(),
        false => Tablet { after, up_to },
    }
}

async fn flush(world: &World, tablet: &Tablet) -> Result<()> {
    let horizon = horizon_for(world, world.in_flushes).await?;
    let dropped = world.server.flush(tablet, world.in_flushes, horizon);
    world.trace.add(format_args!("flushes {tablet:?}, drops {dropped}"));
    Ok(())
}

async fn compact_some(world: &World) -> Result<()> {
    let (tablet, attached) = (drawn(world), world.in_compactions);
    let horizon = horizon_for(world, attached).await?;
    let is_chosen = |_| world.random.chance(500);
    let dropped = world.server.compact(&tablet, is_chosen, attached, horizon);
    world.trace.add(format_args!("compacts files of {tablet:?}, drops {dropped}"));
    Ok(())
}

/// The horizon that iterators use, known before it is used.
async fn horizon_for(world: &World, attached: Attached) -> Result<Timestamp> {
    if attached == Attached::default() {
        return Ok(Timestamp::ZERO);
    }
    let horizon = world.coordination.horizon().await?;
    sleep(world.random.time_below(world.dials.usual)).await;
    let_late_arrive(world);
    Ok(horizon)
}

fn let_late_arrive(world: &World) {
    if !world.dials.is_late_for_ever {
        world.arrive_all();
    }
}

/// Collects garbage below the horizon: flushes memory and compacts all files. The compaction does
/// not see writes between the two.
async fn collect(world: &World) -> Result<()> {
    let horizon = match world.random.chance(300) {
        true => world.coordination.advance_horizon().await?,
        false => world.coordination.horizon().await?,
    };
    sleep(world.random.time_below(world.dials.usual)).await;
    let_late_arrive(world);
    let horizon = match world.bug == Some(WorldBug::HorizonTooFar) {
        true => Timestamp::MAX,
        false => horizon,
    };
    world.trace.add(format_args!("collects below {horizon}"));
    let tablet = drawn(world);
    flush(world, &tablet).await?;
    sleep(world.random.time_below(world.dials.usual)).await;
    let dropped = world.server.compact(&tablet, |_| true, Attached::BOTH, horizon);
    world.trace.add(format_args!("drops {dropped} of {tablet:?}"));
    Ok(())
}
