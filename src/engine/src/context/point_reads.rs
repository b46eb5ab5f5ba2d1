//! Reads of single cells, gathered over all transactions of a client.
//!
//! A call to a table of another process has a fixed cost, and a call for 64 cells costs as much as
//! a few calls for one. So one call is under way, and the next one carries all reads that wait and
//! can travel together: those of one block of starts, or first reads, for which the call draws a
//! block when it leaves (S3). If the call takes longer than [`LATE`], or if as many reads wait as a
//! call has cells, the next one leaves beside it; at most two are under way.
//!
//! If a call is refused, or takes longer than [`SLOW`], its reads are sent one by one. So a cell
//! that cannot be read, or whose server does not answer, does not stop the others. Only one of them
//! at a time waits longer than [`SLOW`], because each has a connection that others need. A read
//! that no other can travel with, such as that of a snapshot, is a call of its own at once.

use std::collections::VecDeque;
use std::mem;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{Coordination, TimestampBlock};
use fluo_table::{Cell, Error, Filter, Result, Scan, Span, Table, Timestamp};
use futures::future::{BoxFuture, FutureExt};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::context::Start;
use crate::mutex::Mutex;

/// Maximum number of calls under way.
const LANES: usize = 2;
const CELLS_PER_CALL: usize = 128;
/// Maximum number of cells of a read that travels with others.
pub(crate) const CELLS_PER_READ: usize = CELLS_PER_CALL / 2;
/// Time after which a call does not hold back the next one. Two calls that leave together carry
/// half of the cells each, and transfers of 16 tasks had three quarters of the rate.
const LATE: Duration = Duration::from_millis(10);
/// Time after which the reads of a call are sent one by one, and maximum time for which one of them
/// holds back the others.
const SLOW: Duration = Duration::from_secs(2);
/// Time for which a read that is sent alone first holds back the others. It doubles with each
/// attempt.
const FIRST_ATTEMPT: Duration = Duration::from_millis(100);
/// Maximum number of lanes that take a read. A lane ends with the runtime of another caller.
const TRIES: usize = 3;

#[derive(Debug)]
pub(crate) struct PointReads {
    table: Arc<dyn Table>,
    coordination: Arc<dyn Coordination>,
    queue: Mutex<Queue>,
    /// Limits the reads that are sent one by one.
    one_by_one: Semaphore,
    /// Limits those of them that were slow.
    slow: Semaphore,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<PointRead>,
    /// Number of lanes: tasks that each send one call at a time.
    lanes: usize,
    /// Number of lanes whose call is late.
    late: usize,
}

#[derive(Debug)]
struct PointRead {
    start: Arc<Start>,
    /// The spans of the cells, in order.
    cells: Vec<Span>,
    answer: oneshot::Sender<Result<Vec<Cell>>>,
}

impl PointReads {
    pub(crate) fn new(table: Arc<dyn Table>, coordination: Arc<dyn Coordination>) -> Self {
        let [one_by_one, slow] = [const { Semaphore::const_new(1) }; 2];
        Self { table, coordination, queue: Mutex::default(), one_by_one, slow }
    }

    /// Returns the entries of some cells that the snapshot of a start shows, in key order. Fixes
    /// the start.
    pub(crate) async fn read(
        self: &Arc<Self>,
        start: &Arc<Start>,
        cells: Vec<Span>,
    ) -> Result<Vec<Cell>> {
        if let Some(at) = start.reads_alone_at() {
            return self.table.read(snapshot(cells.into_iter(), at)).await;
        }
        for _ in 0..TRIES {
            let (answer, answered) = oneshot::channel();
            let read = PointRead { start: start.clone(), cells: cells.clone(), answer };
            self.change_queue(|queue| queue.waiting.push_back(read));
            if let Ok(found) = answered.await {
                return found;
            }
        }
        Err(Error::unavailable("the task that reads has ended, perhaps with its runtime"))
    }

    /// Changes the queue, and opens a lane if one is wanted then. A runtime that shuts down drops
    /// the new lane at once.
    fn change_queue(self: &Arc<Self>, change: impl FnOnce(&mut Queue)) {
        let is_wanted = {
            let mut queue = self.queue.lock();
            change(&mut queue);
            queue.opens_lane()
        };
        if is_wanted {
            tokio::spawn(run_lane(self.clone()));
        }
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
        let mut moved = Vec::new();
        for (read, start) in reads.into_iter().zip(block.iter()) {
            if read.start.move_to(start, block.first) == block.first {
                moved.push(read);
            } else {
                self.read_each([read]);
            }
        }
        moved
    }

    /// Fixes the starts of reads, and sends each as a call of its own.
    fn read_each(self: &Arc<Self>, reads: impl IntoIterator<Item = PointRead>) {
        for read in reads {
            tokio::spawn(self.clone().read_alone(read));
        }
    }

    async fn read_alone(self: Arc<Self>, read: PointRead) {
        let PointRead { start, cells, mut answer } = read;
        let own = start.fix();
        let at = start.reads_at().unwrap_or(own);
        let call = async {
            let scan = || self.table.read(snapshot(cells.iter().cloned(), at));
            let mut patience = FIRST_ATTEMPT;
            while patience < SLOW {
                let _turn = self.one_by_one.acquire().await;
                if let Ok(found) = timeout(patience, scan()).await {
                    return found;
                }
                patience *= 2;
            }
            let _turn = self.slow.acquire().await;
            scan().await
        };
        // The caller may be cancelled.
        tokio::select! {
            found = call => { let _ = answer.send(found); }
            () = answer.closed() => {}
        }
    }
}

impl PointRead {
    fn answer(self, found: Result<Vec<Cell>>) {
        // The caller may be cancelled.
        let _ = self.answer.send(found);
    }
}

impl Queue {
    /// Opens a lane if a read waits and every other lane is late, or if as many reads wait as a
    /// call has cells. The caller must start it.
    fn opens_lane(&mut self) -> bool {
        let is_wanted = self.lanes == self.late || self.waiting.len() >= CELLS_PER_CALL;
        let is_free = is_wanted && self.lanes < LANES && !self.waiting.is_empty();
        self.lanes += usize::from(is_free);
        is_free
    }

    /// Takes the reads of the next call: the oldest one, and those that can travel with it. Returns
    /// `None`, and ends the lane of the caller, if no read waits, or if the lane was late and
    /// another one is not.
    fn take(&mut self, was_late: bool) -> Option<(Option<Timestamp>, Vec<PointRead>)> {
        self.late -= usize::from(was_late);
        self.waiting.retain(|read| !read.answer.is_closed());
        let is_replaced = was_late && self.lanes > self.late + 1;
        let oldest = if is_replaced { None } else { self.waiting.pop_front() };
        let Some(oldest) = oldest else {
            // In the same step, so that the next read starts a lane.
            self.lanes -= 1;
            return None;
        };
        let at = oldest.start.reads_at();
        let mut cells = oldest.cells.len();
        // The oldest read always leaves, although its start may be fixed at this moment.
        let mut taken = vec![oldest];
        for read in mem::take(&mut self.waiting) {
            let fits = cells + read.cells.len() <= CELLS_PER_CALL;
            if fits && read.start.reads_at() == at {
                cells += read.cells.len();
                taken.push(read);
            } else {
                self.waiting.push_back(read);
            }
        }
        Some((at, taken))
    }
}

/// Sends one call after the other until no read waits.
fn run_lane(point_reads: Arc<PointReads>) -> BoxFuture<'static, ()> {
    let mut lane = Lane { point_reads, is_open: true, is_late: false };
    let run = async move {
        while let Some((at, reads)) = lane.take() {
            // If a call panics, the lane continues, and its callers send their reads again.
            let mut call = tokio::spawn(lane.point_reads.clone().call(at, reads));
            if timeout(LATE, &mut call).await.is_err() {
                // Lets the next call leave beside this one.
                lane.is_late = true;
                lane.point_reads.change_queue(|queue| queue.late += 1);
                let _ = call.await;
            }
        }
    };
    run.boxed()
}

/// The right to send one call at a time. A lane that has not ended by itself ends with its runtime.
struct Lane {
    point_reads: Arc<PointReads>,
    is_open: bool,
    is_late: bool,
}

impl Lane {
    /// Takes the reads of the next call. Returns `None`, and ends, if there is none for this lane.
    fn take(&mut self) -> Option<(Option<Timestamp>, Vec<PointRead>)> {
        let taken = self.point_reads.queue.lock().take(mem::take(&mut self.is_late));
        self.is_open = taken.is_some();
        taken
    }
}

impl Drop for Lane {
    /// Ends a lane whose runtime was shut down. The last lane drops the reads that wait, so their
    /// callers send them again.
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let mut queue = self.point_reads.queue.lock();
        queue.lanes -= 1;
        queue.late -= usize::from(self.is_late);
        let is_last = queue.lanes == 0;
        let left = if is_last { mem::take(&mut queue.waiting) } else { VecDeque::new() };
        drop(queue);
        drop(left);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(lanes: usize, late: usize) -> Queue {
        Queue { lanes, late, ..Queue::default() }
    }

    /// The lane ended a moment later. A read in between started none, and got an error.
    #[test]
    fn a_lane_ends_in_the_step_in_which_it_finds_no_read() {
        let mut queue = lanes(2, 0);
        assert!(queue.take(false).is_none());
        assert_eq!(queue.lanes, 1);
    }

    #[test]
    fn a_late_lane_is_no_longer_late_when_it_ends() {
        let mut queue = lanes(2, 1);
        assert!(queue.take(true).is_none());
        assert_eq!((queue.lanes, queue.late), (1, 0));
    }
}
