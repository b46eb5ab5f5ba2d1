//! Increments of counters, by a runner that retries until it succeeds.

use std::sync::{Mutex, PoisonError};

use fluo::RetryPolicy;
use fluo_table::{Error, Result};

use super::{Actor, number_of};
use crate::ground::number;
use crate::history::{StoryId, Told};
use crate::recorded::{Recorded, told, told_error};

const COUNTERS: [&str; 2] = ["count:a", "count:b"];

/// Adds one to a counter.
pub(super) async fn count(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let row = world.random.pick(&COUNTERS);
    let policy = RetryPolicy::new().max_elapsed(world.dials.give_up_after);
    let last: Mutex<Option<StoryId>> = Mutex::default();
    let last = || last.lock().unwrap_or_else(PoisonError::into_inner);
    let counted = actor
        .client
        .runner()
        .retry(policy)
        .run_committed(async |tx| {
            // If the body runs again, the attempt before has failed.
            let before = *last();
            if let Some(before) = before {
                world
                    .history()
                    .with(before, |story| story.told = Told::Failed);
            }
            let counter = Recorded::new(world, "counter", &tx);
            *last() = Some(counter.story);
            let count = number_of(counter.get(row, &number()).await?.as_ref());
            counter.set(row, &number(), format!("{}/{}", count + 1, tx.start()))?;
            Ok::<_, Error>(())
        })
        .await;
    let story = *last();
    let Some(story) = story else {
        return counted.map(drop);
    };
    match counted {
        Ok(((), committed)) => {
            told(world, story, &Ok(committed));
            Ok(())
        }
        Err(error) => {
            told_error(world, story, &error);
            Err(error)
        }
    }
}
