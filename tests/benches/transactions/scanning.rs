//! Scans of a table with many versions.

use std::path::Path;
use std::time::{Duration, Instant};

use fluo_table::{CellBatches, Error, Scan, Span};
use futures::TryStreamExt;

use crate::ground::{Ground, Outcome, row, uri, value};
use crate::{rate, share};

const CELLS: u64 = 50_000;
const VERSIONS: u64 = 10;
const CELLS_A_TRANSACTION: u64 = 2_000;
const ROUNDS: usize = 3;

pub(crate) async fn compare(directory: &Path) -> Outcome {
    let ground = Ground::new(&directory.join("versions")).await?;
    for version in 0..VERSIONS {
        for begin in (0..CELLS).step_by(usize::try_from(CELLS_A_TRANSACTION)?) {
            let run = ground.client.run(async |tx| {
                for number in begin..begin + CELLS_A_TRANSACTION {
                    tx.set(row(number), &uri(), value(number + version))?;
                }
                Ok::<_, Error>(())
            });
            run.await?;
        }
    }
    let snapshot = ground.client.snapshot().await?;
    let (mut raw_time, mut time) = (Duration::MAX, Duration::MAX);
    let (mut entries, mut cells) = (0, 0);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        entries = count(ground.table.scan(Scan::over(Span::all()))).await?;
        raw_time = raw_time.min(begun.elapsed());
        let begun = Instant::now();
        cells = count(snapshot.scan(Scan::over(Span::all()))).await?;
        time = time.min(begun.elapsed());
    }
    rate("raw scan: entries stored", entries, raw_time)?;
    rate("snapshot scan, 10 versions: cells shown", cells, time)?;
    let read = rate("snapshot scan, 10 versions: entries stored", entries, time)?;
    share(
        "of the raw rate (goal: 0.50)",
        read,
        u128::from(entries) * 1_000_000 / raw_time.as_micros().max(1),
    )
}

async fn count(mut batches: CellBatches) -> Outcome<u64> {
    let mut cells = 0;
    while let Some(batch) = batches.try_next().await? {
        cells += u64::try_from(batch.len())?;
        std::hint::black_box(&batch);
    }
    Ok(cells)
}
