//! The reads of single cells that wait to travel together.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

use fluo_table::{Cell, Result, Span, Timestamp};
use tokio::sync::oneshot;

use crate::context::Start;
use crate::locked::locked;

/// Maximum number of calls under way.
const LANES: usize = 2;
/// Maximum number of cells of a call.
const CELLS_PER_CALL: usize = 128;
/// Maximum number of cells of a read that travels with others.
pub(crate) const CELLS_PER_READ: usize = CELLS_PER_CALL / 2;

/// The reads that wait for a lane.
#[derive(Debug, Default)]
pub(crate) struct PointReads {
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<PointRead>,
    lanes: usize,
    /// Number of lanes whose call is late.
    late: usize,
}

/// A read of some cells at one start.
#[derive(Debug)]
pub(super) struct PointRead {
    pub(super) start: Arc<Start>,
    /// The spans of the cells, in order.
    pub(super) cells: Vec<Span>,
    pub(super) answer: oneshot::Sender<Result<Vec<Cell>>>,
}

impl PointReads {
    /// Adds a read. Returns `true` if the caller must start a lane.
    pub(super) fn add(&self, read: PointRead) -> bool {
        let mut queue = self.queue();
        queue.waiting.push_back(read);
        queue.opens_lane()
    }

    /// Takes the reads of the next call: the oldest one, and those that can travel with it. Returns
    /// `None`, and ends the lane of the caller, if no read waits, or if the lane was late and
    /// another one is not.
    pub(super) fn take(&self, was_late: bool) -> Option<(Option<Timestamp>, Vec<PointRead>)> {
        let mut queue = self.queue();
        queue.late -= usize::from(was_late);
        queue.waiting.retain(|read| !read.answer.is_closed());
        let is_replaced = was_late && queue.lanes > queue.late + 1;
        let oldest = if is_replaced { None } else { queue.waiting.pop_front() };
        let Some(oldest) = oldest else {
            // In the same step, so that the next read starts a lane.
            queue.lanes -= 1;
            return None;
        };
        let at = oldest.start.reads_at();
        let mut cells = oldest.cells.len();
        // The oldest read always leaves, although its start may be fixed at this moment.
        let mut taken = vec![oldest];
        let (others, left) = queue.waiting.drain(..).partition(|read: &PointRead| {
            let fits = cells + read.cells.len() <= CELLS_PER_CALL;
            let travels = fits && read.start.reads_at() == at;
            cells += if travels { read.cells.len() } else { 0 };
            travels
        });
        let others: VecDeque<PointRead> = others;
        taken.extend(others);
        queue.waiting = left;
        Some((at, taken))
    }

    /// Lets the next call leave beside the call of a lane. Returns `true` if the caller must start
    /// another lane.
    pub(super) fn mark_late(&self) -> bool {
        let mut queue = self.queue();
        queue.late += 1;
        queue.opens_lane()
    }

    /// Ends a lane whose runtime was shut down. The last lane drops the reads that wait, so their
    /// callers get an error.
    pub(super) fn end_lane(&self, is_late: bool) {
        let mut queue = self.queue();
        queue.lanes -= 1;
        queue.late -= usize::from(is_late);
        let left = match queue.lanes {
            0 => mem::take(&mut queue.waiting),
            _ => VecDeque::new(),
        };
        drop(queue);
        drop(left);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        locked(&self.queue)
    }
}

impl PointRead {
    pub(super) fn answer(self, found: Result<Vec<Cell>>) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(lanes: usize, late: usize) -> PointReads {
        let reads = PointReads::default();
        *reads.queue() = Queue { lanes, late, ..Queue::default() };
        reads
    }

    /// The lane ended a moment later. A read in between started none, and got an error.
    #[test]
    fn a_lane_ends_in_the_step_in_which_it_finds_no_read() {
        let reads = lanes(2, 0);
        assert!(reads.take(false).is_none());
        assert_eq!(reads.queue().lanes, 1);
    }

    #[test]
    fn a_late_lane_is_no_longer_late_when_it_ends() {
        let reads = lanes(2, 1);
        assert!(reads.take(true).is_none());
        let queue = reads.queue();
        assert_eq!((queue.lanes, queue.late), (1, 0));
    }
}
