//! Reads of single cells, gathered over all transactions of a client.
//!
//! A call to a table of another process has a fixed cost, and a call for 64 cells costs as much as
//! a few calls for one. So one call is under way, and the next one carries all reads that wait and
//! can travel together: those of one block of starts, or first reads, for which the call draws a
//! block when it leaves (S3). If the call takes longer than [`LATE`], or if as many reads wait as a
//! call has cells, the next one leaves beside it; at most two are under way.
//!
//! If a call is refused, or takes longer than [`SLOW`], its reads are sent one by one. So a cell
//! that cannot be read, or whose server does not answer, does not stop the others. A read that no
//! other can travel with, such as that of a snapshot, is a call of its own at once.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Cell, Error, ErrorKind, Filter, Result, Scan, Span, TableExt, Timestamp};
use futures::future::{BoxFuture, FutureExt};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::context::point_reads::PointRead;
use crate::context::{Shared, Start};

/// Time after which a call does not hold back the next one. Two calls that leave together carry
/// half of the cells each, and transfers of 16 tasks had three quarters of the rate.
const LATE: Duration = Duration::from_millis(10);
/// Time after which the reads of a call are sent one by one.
const SLOW: Duration = Duration::from_secs(2);

impl Shared {
    /// Returns the entries of some cells that the snapshot of a start shows, in key order. Fixes
    /// the start.
    pub(crate) async fn read_cells(
        self: &Arc<Self>,
        start: &Arc<Start>,
        cells: Vec<Span>,
    ) -> Result<Vec<Cell>> {
        if let Some(at) = start.reads_alone_at() {
            return self.table.read(snapshot(cells.into_iter(), at)).await;
        }
        let (answer, answered) = oneshot::channel();
        let read = PointRead { start: start.clone(), cells, answer };
        if self.point_reads.add(read) {
            tokio::spawn(run_lane(self.clone()));
        }
        answered.await.unwrap_or_else(|_| {
            let message = "the task that reads has ended: its runtime was shut down";
            Err(Error::new(ErrorKind::Unavailable, message))
        })
    }

    /// Sends a call and answers its reads, which are at one timestamp, or whose starts could move
    /// when they were taken.
    async fn call(self: Arc<Self>, at: Option<Timestamp>, reads: Vec<PointRead>) {
        let (at, reads) = match at {
            Some(at) => (at, reads),
            None => match timeout(SLOW, self.coordination.timestamps(count(&reads))).await {
                Ok(Ok(block)) => (block.first, self.move_into(block, reads)),
                // The reads need no block: each can be at its own start.
                Ok(Err(_)) | Err(_) => return self.read_each(reads),
            },
        };
        let cells = reads.iter().flat_map(|read| read.cells.iter().cloned());
        match timeout(SLOW, self.table.read(snapshot(cells, at))).await {
            Ok(Ok(found)) => share(&found, reads),
            Ok(Err(error)) if reads.len() == 1 => {
                for read in reads {
                    read.answer(Err(error.clone()));
                }
            }
            Ok(Err(_)) | Err(_) => self.read_each(reads),
        }
    }

    /// Moves the starts of first reads into a block, and returns the reads. A start that was fixed
    /// meanwhile stays, and its read is a call of its own.
    fn move_into(self: &Arc<Self>, block: TimestampBlock, reads: Vec<PointRead>) -> Vec<PointRead> {
        let (moved, fixed) =
            reads.into_iter().zip(block.iter()).partition::<Vec<_>, _>(|(read, start)| {
                read.start.move_to(*start, block.first) == block.first
            });
        let reads = |reads: Vec<(PointRead, Timestamp)>| reads.into_iter().map(|(read, _)| read);
        self.read_each(reads(fixed));
        reads(moved).collect()
    }

    /// Fixes the starts of reads, and sends each as a call of its own.
    fn read_each(self: &Arc<Self>, reads: impl IntoIterator<Item = PointRead>) {
        for read in reads {
            tokio::spawn(self.clone().read_alone(read));
        }
    }

    async fn read_alone(self: Arc<Self>, read: PointRead) {
        let own = read.start.fix();
        let at = read.start.reads_at().unwrap_or(own);
        let found = self.table.read(snapshot(read.cells.iter().cloned(), at));
        read.answer(found.await);
    }
}

/// Sends one call after the other until no read waits.
fn run_lane(client: Arc<Shared>) -> BoxFuture<'static, ()> {
    let mut lane = Lane { client, is_open: true, is_late: false };
    let run = async move {
        while let Some((at, reads)) = lane.take() {
            // If a call panics, the lane continues, and its callers get an error.
            let mut call = tokio::spawn(lane.client.clone().call(at, reads));
            if timeout(LATE, &mut call).await.is_err() {
                lane.mark_late();
                let _ = call.await;
            }
        }
    };
    run.boxed()
}

/// The right to send one call at a time. A lane that has not ended by itself ends with its runtime.
struct Lane {
    client: Arc<Shared>,
    is_open: bool,
    is_late: bool,
}

impl Lane {
    /// Takes the reads of the next call. Returns `None`, and ends, if no read waits or if this lane
    /// was late and another one was opened beside it.
    fn take(&mut self) -> Option<(Option<Timestamp>, Vec<PointRead>)> {
        let taken = self.client.point_reads.take(self.is_late);
        self.is_late = false;
        self.is_open = taken.is_some();
        taken
    }

    /// Lets the next call leave beside the call of this lane.
    fn mark_late(&mut self) {
        self.is_late = true;
        // A runtime that shuts down drops the new lane at once.
        if self.client.point_reads.mark_late() {
            tokio::spawn(run_lane(self.client.clone()));
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.is_open {
            self.client.point_reads.end_lane(self.is_late);
        }
    }
}

fn count(reads: &[PointRead]) -> NonZeroU32 {
    let count = u32::try_from(reads.len()).ok().and_then(NonZeroU32::new);
    count.expect("a call has at least one read and at most as many as cells")
}

fn snapshot(cells: impl Iterator<Item = Span>, at: Timestamp) -> Scan {
    Scan::over_all(cells).filter(Filter::Snapshot { at })
}

/// Answers each read with its cells.
fn share(found: &[Cell], reads: Vec<PointRead>) {
    for read in reads {
        let cells = read.cells.iter().flat_map(|span| {
            let first = found.partition_point(|cell| cell.key < *span.start());
            let rest = found.get(first..).unwrap_or_default().iter();
            rest.take_while(|cell| span.contains(&cell.key)).cloned()
        });
        let cells = cells.collect();
        read.answer(Ok(cells));
    }
}
