//! Scans: snapshots that are read in batches, on demand.
//!
//! The first batch is small and is read in place: most scans read one row and end with it, and a
//! few dozen cells cost less than a thread switch. Later batches are read on the runtime's threads
//! for blocking work, one at a time, so that a long scan does not block other tasks and a slow
//! consumer slows down its own scan.

mod batch;
mod reader;

use fluo_table::{Cell, CellBatches, Error, ErrorKind, Result};
use futures::stream::{self, StreamExt};
use tokio::runtime::Handle;

pub(crate) use reader::Reader;
use reader::StepBounds;

/// The bounds of the first step, which takes microseconds.
const FIRST_STEP: StepBounds = StepBounds { cells: 64, bytes: 64 << 10, entries: 256 };
/// The bounds of a later step, which ends soon if the scan is dropped.
const LATER_STEP: StepBounds = StepBounds { cells: usize::MAX, bytes: 1 << 20, entries: 65_536 };

pub(crate) fn batches(reader: Result<Reader>) -> CellBatches {
    match reader {
        Err(error) => stream::iter([Err(error)]).boxed(),
        Ok(reader) => stream::try_unfold((reader, true), |(reader, is_first)| async move {
            let next = next_batch(reader, is_first).await?;
            Ok(next.map(|(batch, reader)| (batch, (reader, false))))
        })
        .boxed(),
    }
}

/// Returns the next batch that is not empty.
async fn next_batch(mut reader: Reader, is_first: bool) -> Result<Option<(Vec<Cell>, Reader)>> {
    let mut in_place = is_first;
    while !reader.is_done() {
        let step = move || {
            let cells = reader.step(if in_place { FIRST_STEP } else { LATER_STEP })?;
            Ok((cells, reader))
        };
        let cells;
        (cells, reader) = if in_place { step()? } else { off_the_runtime(step).await? };
        if !cells.is_empty() {
            return Ok(Some((cells, reader)));
        }
        in_place = false;
    }
    Ok(None)
}

/// Runs work that may take long on a thread for blocking work; without a runtime, runs it in place.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let Ok(runtime) = Handle::try_current() else {
        return work();
    };
    match runtime.spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::with_source(
            ErrorKind::Unavailable,
            "the runtime was shut down while a table was read",
            error,
        )),
    }
}
