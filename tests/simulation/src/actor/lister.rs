//! Appends to lists and reads of lists, which an independent checker verifies.

use fluo_engine::{CommitError, CommitInfo};
use fluo_table::{Bytes, ErrorKind, Result};

use super::Actor;
use crate::elle::{Ended, Step};
use crate::ground::list;
use crate::recorded::told;

const LISTS: [&str; 4] = ["list:a", "list:b", "list:c", "list:d"];

/// Reads some lists, and appends to some: each number once.
pub(super) async fn append(actor: &Actor) -> Result<()> {
    let world = &actor.world;
    let mut planned = Vec::new();
    for row in LISTS {
        match world.random.below(5) {
            0 | 1 => planned.push(Step::Read(row, None)),
            2 => planned.push(Step::Append(row, world.elle().next_number())),
            _ => {}
        }
    }
    let process = world.elle().begin(&planned);
    let mut done = planned;
    let committed = attempt(actor, &mut done).await;
    let ended = match &committed {
        Ok(_) => Ended::Committed,
        Err(CommitError::Failed(error)) if error.kind() == ErrorKind::Uncertain => Ended::Uncertain,
        Err(_) => Ended::Failed,
    };
    world.elle().end(process, &done, ended);
    match committed {
        Err(CommitError::Failed(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Runs the steps as one transaction; reads put in what they saw.
async fn attempt(actor: &Actor, steps: &mut [Step]) -> Result<CommitInfo, CommitError> {
    let tx = actor.begin().await?;
    let lister = actor.record("lister", &tx);
    for step in steps.iter_mut() {
        match step {
            Step::Read(row, seen) => {
                *seen = Some(numbers_of(lister.get(row, &list()).await?.as_ref()));
            }
            Step::Append(row, number) => {
                let before = lister.get(row, &list()).await?;
                let before = before
                    .as_ref()
                    .map_or("", |before| std::str::from_utf8(before).unwrap_or_default());
                lister.set(row, &list(), format!("{before} {number}"))?;
            }
        }
    }
    let story = lister.story();
    let committed = tx.commit().await;
    told(&actor.world, story, &committed);
    committed
}

pub(crate) fn numbers_of(list: Option<&Bytes>) -> Vec<u64> {
    let text = list.map_or("", |list| std::str::from_utf8(list).unwrap_or_default());
    text.split(' ').filter_map(|number| number.parse().ok()).collect()
}
