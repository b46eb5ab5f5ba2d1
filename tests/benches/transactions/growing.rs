//! The cost of a transaction on a table of one million cells, and of ten.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_table::layout::{EntryKind, EntryTimestamp, WriteValue};
use fluo_table::{Mutation, Timestamp};

use crate::ground::{Ground, Outcome, row, uri, value};
use crate::{rate, share, writing};

const SMALL: u64 = 1_000_000;
const LARGE: u64 = 10_000_000;
const ROWS_A_CALL: u64 = 4_096;

pub(crate) async fn compare(directory: &Path, time: Duration) -> Outcome {
    let ground = Arc::new(Ground::new(&directory.join("growing")).await?);
    let mut costs = Vec::new();
    let mut there = 0;
    for cells in [SMALL, LARGE] {
        fill(&ground, there, cells).await?;
        there = cells;
        let begun = Instant::now();
        let count = writing::transfers(&ground, cells, time).await?;
        costs.push(rate(&format!("transfers among {cells} cells"), count, begun.elapsed())?);
    }
    let [small, large] = costs[..] else { return Ok(()) };
    // The time of a transaction is the inverse of the rate.
    share("of the time at a million cells (goal: 1.15)", small, large)
}

/// Writes cells in the form of a bulk load: a value at 0, and a write at 1 that every transaction
/// sees.
async fn fill(ground: &Ground, from: u64, to: u64) -> Outcome {
    let stamp = |kind, at| {
        Ok::<_, fluo_table::Error>(EntryTimestamp::new(kind, Timestamp::new(at)?).encode())
    };
    let write = WriteValue { start: Timestamp::ZERO, is_primary: false, is_delete: false };
    let (data_at, write_at) = (stamp(EntryKind::Data, 0)?, stamp(EntryKind::Write, 1)?);
    for begin in (from..to).step_by(usize::try_from(ROWS_A_CALL)?) {
        let mutation = |number| {
            Mutation::new(row(number)).put_at(uri(), data_at, value(number)).put_at(
                uri(),
                write_at,
                write.encode(),
            )
        };
        let mutations = (begin..to.min(begin + ROWS_A_CALL)).map(mutation);
        ground.table.write(mutations.collect()).await?;
    }
    Ok(())
}
