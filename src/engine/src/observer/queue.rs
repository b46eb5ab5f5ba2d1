//! The cache of a worker's notifications: those that wait for a task, and those that are running.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fluo_table::coordination::Share;
use fluo_table::layout::notification_column;
use fluo_table::{RowColumn, Timestamp};
use tokio::select;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::context::{CommitListener, Pauses};
use crate::mutex::Mutex;
use crate::observer::capacity::Room;
use crate::observer::dead_letter_cache::DeadLetterCache;
use crate::observer::options::WorkerLimits;
use crate::options::DURATIONS;

/// The notifications of one worker, between the scanner and the client that find them and the tasks
/// that run them.
#[derive(Debug)]
pub(crate) struct Queue {
    limits: WorkerLimits,
    state: Mutex<State>,
    /// One permit for each waiting notification.
    ready: Semaphore,
    /// Wakes the scanner after a change of the state that concerns it.
    changed: Notify,
    pub(super) dead_letters: Mutex<DeadLetterCache>,
}

#[derive(Debug, Default)]
struct State {
    /// The share of this worker, or `None` while it must process nothing.
    share: Option<Share>,
    /// Waiting notifications, the oldest first.
    waiting: BTreeSet<(Timestamp, RowColumn)>,
    /// Notifications that wait only after a pause, with its end.
    paused: BTreeSet<(Instant, Timestamp, RowColumn)>,
    /// The room of the waiting and the paused notifications.
    room: Room,
    /// Waiting, paused and running notifications.
    tracked: BTreeMap<RowColumn, Tracked>,
    /// Cells that were processed since the current part of the scan began, each with the timestamp
    /// up to which it was processed. The scan may have read them before that.
    finished: BTreeMap<RowColumn, Timestamp>,
    is_scanning: bool,
    /// The cells whose last try failed. They wait in the table (O4).
    failing: BTreeMap<RowColumn, Failing>,
    is_scan_wanted: bool,
    is_room_wanted: bool,
}

#[derive(Debug)]
struct Tracked {
    at: Timestamp,
    /// A later notification that was found since.
    later: Option<Timestamp>,
}

/// The number of failed tries of a cell, and the time of the next one.
#[derive(Clone, Copy, Debug)]
struct Failing {
    tries: u32,
    pauses: Pauses,
    due: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) cell: RowColumn,
    pub(super) at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// It waits for a task now.
    Queued,
    /// It is already cached or processed, belongs to another worker, or has to wait because it
    /// failed.
    Skipped,
    /// There is no room for it. If a scan has found it, there will be room [later](Queue::room).
    NoRoom,
}

impl Queue {
    pub(super) fn new(limits: WorkerLimits) -> Self {
        Self {
            state: Mutex::new(State { room: Room::new(&limits), ..State::default() }),
            limits,
            ready: Semaphore::new(0),
            changed: Notify::new(),
            dead_letters: Mutex::default(),
        }
    }

    pub(super) fn offer_found(&self, found: Found) -> Offered {
        let Found { cell, at } = found;
        let mut state = self.state.lock();
        state.room.end_reservation();
        let offered = self.admit(&mut state, &cell, at, Duration::ZERO);
        if offered == Offered::NoRoom {
            state.room.reserve(&cell);
        }
        offered
    }

    /// Returns the next notification to run, or `None` once the queue is closed.
    pub(super) async fn next(&self) -> Option<Found> {
        loop {
            let due = self.end_pauses();
            select! {
                biased;
                permit = self.ready.acquire() => {
                    permit.ok()?.forget();
                    if let Some(found) = self.begin_next() {
                        return Some(found);
                    }
                }
                // Later pauses end later, and the task that begins one comes here next.
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
        }
    }

    /// Records that the notifications of a cell are processed up to a timestamp. A later one that
    /// was found meanwhile waits after a pause.
    pub(super) fn done(&self, cell: &RowColumn, up_to: Timestamp, pause: Duration) {
        let mut state = self.state.lock();
        state.failing.remove(cell);
        if state.is_scanning && state.finished.len() < self.limits.max_queued_notifications * 2 {
            state.finished.insert(cell.clone(), up_to);
        }
        let later = state.tracked.remove(cell).and_then(|tracked| tracked.later);
        if let Some(later) = later.filter(|later| *later > up_to) {
            self.admit_beside(&mut state, cell, later, pause);
        }
    }

    /// Records that a notification has failed in its last try, which was number `tries`, and
    /// retries it after a pause; `None` chooses the next longer one. If too many other cells are
    /// recorded, this one is not. They succeed or become dead letters in time, and scans find this
    /// one again until there is room.
    pub(super) fn postpone(&self, cell: &RowColumn, tries: u32, pause: Option<Duration>) {
        let limits = &self.limits;
        let mut state = self.state.lock();
        state.tracked.remove(cell);
        self.changed.notify_one();
        let before = state.failing.get(cell).map(|failing| failing.pauses);
        if before.is_none() && state.failing.len() >= limits.max_queued_notifications {
            return;
        }
        let mut pauses =
            before.unwrap_or_else(|| Pauses::new(limits.first_retry_pause, limits.max_retry_pause));
        let pause = match pause {
            Some(pause) => pause.min(*DURATIONS.end()),
            None if tries >= limits.max_attempts.get() => limits.max_retry_pause,
            None => pauses.next_pause(),
        };
        let failing = Failing { tries, pauses, due: Instant::now() + pause };
        state.failing.insert(cell.clone(), failing);
    }

    pub(super) fn tries(&self, cell: &RowColumn) -> u32 {
        self.state.lock().failing.get(cell).map_or(0, |failing| failing.tries)
    }

    /// Sets the share of this worker. While it has none, no notification begins to run. Waiting
    /// notifications are dropped in their turn, and the next scan finds them again.
    pub(super) fn set_share(&self, share: Option<&Share>) {
        let mut state = self.state.lock();
        if state.share.as_ref() != share {
            state.share = share.cloned();
            if share.is_some() {
                self.dead_letters.lock().clear();
            }
        }
    }

    /// Begins or ends a part of a scan. During it the queue records processed cells.
    pub(super) fn set_scanning(&self, is_scanning: bool) {
        let mut state = self.state.lock();
        state.is_scanning = is_scanning;
        state.finished.clear();
    }

    /// Forgets the failures of cells that a complete scan, begun at an instant, did not find.
    pub(super) fn forget_gone(&self, begun: Instant) {
        let mut state = self.state.lock();
        let State { failing, tracked, .. } = &mut *state;
        failing.retain(|cell, failing| failing.due > begun || tracked.contains_key(cell));
    }

    /// Ends a complete scan, or one that failed. A cell for which it had no room is found by the
    /// next scan, not by a further part of this one.
    pub(super) fn end_scan(&self) {
        self.state.lock().room.end_reservation();
    }

    /// Waits until at most half of the room is taken, and the last cell without room has room.
    pub(super) async fn room(&self) {
        loop {
            {
                let mut state = self.state.lock();
                state.is_room_wanted = !state.room.is_enough_for_scan();
                if !state.is_room_wanted {
                    return;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Waits for the next scan: for `pause`, or less if a failed notification is due or a scan is
    /// requested, but for at least `least`. So scans that fail or find no room do not follow each
    /// other directly.
    pub(super) async fn rest(&self, least: Duration, pause: Duration) {
        let now = Instant::now();
        let (earliest, latest) = (now + least, now + pause);
        loop {
            let until = {
                let state = self.state.lock();
                let due = state.failing.values().map(|failing| failing.due).min();
                let due = due.map_or(latest, |due| due.clamp(earliest, latest));
                if state.is_scan_wanted { earliest } else { due }
            };
            select! {
                biased;
                () = sleep_until(until) => break,
                () = self.changed.notified() => {}
            }
        }
        // The scan that begins now is the requested one.
        self.state.lock().is_scan_wanted = false;
    }

    pub(super) fn close(&self) {
        self.ready.close();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.ready.is_closed()
    }

    fn admit(
        &self,
        state: &mut State,
        cell: &RowColumn,
        at: Timestamp,
        pause: Duration,
    ) -> Offered {
        if let Some(tracked) = state.tracked.get_mut(cell) {
            if at > tracked.at {
                tracked.later = tracked.later.max(Some(at));
            }
            return Offered::Skipped;
        }
        let is_finished = state.finished.get(cell).is_some_and(|up_to| *up_to >= at);
        let is_early = state.failing.get(cell).is_some_and(|failing| failing.due > Instant::now());
        if is_finished || is_early || !state.owns(cell) {
            return Offered::Skipped;
        }
        if !state.room.take(cell) {
            return Offered::NoRoom;
        }
        let tracked = Tracked { at, later: None };
        state.tracked.insert(cell.clone(), tracked);
        metrics::gauge!("fluo_notifications_queued").increment(1);
        if pause.is_zero() {
            state.waiting.insert((at, cell.clone()));
            self.ready.add_permits(1);
        } else {
            state.paused.insert((Instant::now() + pause, at, cell.clone()));
        }
        Offered::Queued
    }

    /// Lets the notifications wait whose pauses are over. Returns the end of the next pause.
    fn end_pauses(&self) -> Option<Instant> {
        let mut state = self.state.lock();
        let now = Instant::now();
        while let Some(next) = state.paused.first() {
            let end = next.0;
            if end > now {
                return Some(end);
            }
            if let Some((_, at, cell)) = state.paused.pop_first() {
                state.waiting.insert((at, cell));
                self.ready.add_permits(1);
            }
        }
        None
    }

    /// Admits a notification that no scan has found. If there is no room, requests a scan.
    fn admit_beside(&self, state: &mut State, cell: &RowColumn, at: Timestamp, pause: Duration) {
        if self.admit(state, cell, at, pause) == Offered::NoRoom {
            state.is_scan_wanted = true;
            self.changed.notify_one();
        }
    }

    fn begin_next(&self) -> Option<Found> {
        let mut state = self.state.lock();
        let (at, cell) = state.waiting.pop_first()?;
        metrics::gauge!("fluo_notifications_queued").decrement(1);
        state.room.release(&cell);
        if state.is_room_wanted && state.room.is_enough_for_scan() {
            self.changed.notify_one();
        }
        if !state.owns(&cell) {
            // The shares have changed while it waited.
            state.tracked.remove(&cell);
            return None;
        }
        Some(Found { cell, at })
    }
}

impl CommitListener for Queue {
    /// Accepts a notification that was just written. If there is no room, a later scan finds it.
    fn offer(&self, cell: &RowColumn, at: Timestamp) {
        self.admit_beside(&mut self.state.lock(), cell, at, Duration::ZERO);
    }
}

impl State {
    /// Checks whether a cell belongs to this worker; `false` until its share is set.
    fn owns(&self, cell: &RowColumn) -> bool {
        self.share.as_ref().is_some_and(|share| {
            share.contains(&cell.row, &notification_column(&cell.column).qualifier)
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let state = self.state.lock();
        let left = u32::try_from(state.waiting.len() + state.paused.len()).unwrap_or(u32::MAX);
        metrics::gauge!("fluo_notifications_queued").decrement(left);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use futures::FutureExt;

    use super::*;
    use crate::InstanceExt;
    use crate::observer::dead_letter_cache::list_dead_letters;
    use fluo_table::layout::Partition;
    use fluo_table::{Column, Instance};

    /// Returns a part of all notifications.
    fn share(divisor: u32, remainder: u32) -> Share {
        let divisor = NonZeroU32::new(divisor).unwrap();
        Share::new([fluo_table::Span::all()], Partition::new(divisor, remainder).unwrap())
    }

    fn found(row: &'static str, at: u64) -> Found {
        Found { cell: RowColumn::new(row, Column::new("f", "q")), at: time(at) }
    }

    fn time(at: u64) -> Timestamp {
        Timestamp::new(at).unwrap()
    }

    fn queue(max_queued_notifications: usize, max_queued_bytes: usize) -> Queue {
        let defaults = WorkerLimits::default();
        let queue =
            Queue::new(WorkerLimits { max_queued_notifications, max_queued_bytes, ..defaults });
        queue.set_share(Some(&share(1, 0)));
        queue
    }

    #[tokio::test]
    async fn runs_the_oldest_of_the_notifications_that_have_room_first() {
        // Each has a row of one byte and a column of two.
        let queue = queue(10, 7);
        let offered =
            [("a", 9), ("b", 8), ("c", 7)].map(|(row, at)| queue.offer_found(found(row, at)));
        assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::NoRoom]);
        assert_eq!(queue.next().await, Some(found("b", 8)));
        assert_eq!(queue.next().await, Some(found("a", 9)));
    }

    #[tokio::test]
    async fn tracks_a_cell_until_it_is_done_and_runs_it_again_for_a_later_notification() {
        let queue = queue(10, 1_000);
        assert_eq!(queue.offer_found(found("a", 5)), Offered::Queued);
        assert_eq!(queue.offer_found(found("a", 5)), Offered::Skipped);
        let running = queue.next().await.unwrap();
        queue.offer(&running.cell, time(7));
        queue.offer(&running.cell, time(6));
        queue.done(&running.cell, time(6), Duration::ZERO);
        assert_eq!(queue.next().await, Some(found("a", 7)));
        queue.offer(&running.cell, time(8));
        queue.done(&running.cell, time(8), Duration::ZERO);
        let next = queue.next().now_or_never();
        assert_eq!(next, None, "processed up to 8");
    }

    #[tokio::test(start_paused = true)]
    async fn gives_out_a_later_notification_after_the_pause_and_others_during_it() {
        let pause = Duration::from_secs(7);
        let queue = queue(2, 1_000);
        queue.offer_found(found("a", 5));
        let running = queue.next().await.unwrap();
        queue.offer(&running.cell, time(8));
        queue.done(&running.cell, time(6), pause);
        let begun = Instant::now();
        let offered =
            [("a", 9), ("b", 10), ("c", 11)].map(|(row, at)| queue.offer_found(found(row, at)));
        assert_eq!(
            offered,
            [Offered::Skipped, Offered::Queued, Offered::NoRoom],
            "a paused notification takes room"
        );
        assert_eq!(queue.next().await, Some(found("b", 10)));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(queue.next().await, Some(found("a", 8)));
        assert_eq!(begun.elapsed(), pause);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_queue_does_not_wait_for_a_pause() {
        let queue = queue(10, 1_000);
        queue.offer_found(found("a", 5));
        let running = queue.next().await.unwrap();
        queue.offer(&running.cell, time(8));
        queue.done(&running.cell, time(6), Duration::from_secs(7));
        let begun = Instant::now();
        queue.close();
        assert_eq!(queue.next().await, None);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test]
    async fn skips_a_notification_that_a_scan_read_before_it_was_done() {
        let queue = queue(10, 1_000);
        queue.set_scanning(true);
        queue.offer_found(found("a", 5));
        let running = queue.next().await.unwrap();
        queue.done(&running.cell, time(6), Duration::ZERO);
        assert_eq!(queue.offer_found(found("a", 5)), Offered::Skipped);
        assert_eq!(queue.offer_found(found("a", 7)), Offered::Queued, "a later one");
        let running = queue.next().await.unwrap();
        queue.done(&running.cell, time(8), Duration::ZERO);
        queue.set_scanning(false);
        assert_eq!(queue.offer_found(found("a", 7)), Offered::Queued, "a new scan has read it");
    }

    #[tokio::test]
    async fn every_cell_of_a_new_share_may_have_a_dead_letter() {
        let queue = queue(10, 1_000);
        let application = Instance::in_memory().application("web");
        let client = application.create().await.unwrap();
        let cell = found("a", 5).cell;
        assert!(queue.dead_letters.lock().take(&cell), "not listed yet");
        list_dead_letters(&queue.dead_letters, &*client.shared.coordination).await.unwrap();
        queue.set_share(Some(&share(1, 0)));
        assert!(!queue.dead_letters.lock().take(&cell));
        queue.set_share(Some(&share(2, 0)));
        assert!(queue.dead_letters.lock().take(&cell), "it may have been another worker's");
    }

    /// Returns the pause of a cell that failed, and lets it wait for that time.
    async fn pause_of(queue: &Queue, row: &'static str) -> Duration {
        let pause = queue.state.lock().failing[&found(row, 5).cell].due - Instant::now();
        assert_eq!(queue.offer_found(found(row, 5)), Offered::Skipped);
        tokio::time::advance(pause).await;
        assert_eq!(queue.offer_found(found(row, 5)), Offered::Queued);
        assert_eq!(queue.next().await, Some(found(row, 5)));
        pause
    }

    #[tokio::test(start_paused = true)]
    async fn doubles_pauses_up_to_the_longest_and_restarts_after_a_success() {
        let limits = WorkerLimits::default();
        let (queue, cell) = (queue(10, 1_000), found("a", 5).cell);
        let mut pause = limits.first_retry_pause;
        for tries in 1..12 {
            queue.postpone(&cell, tries, None);
            let longest = tries >= limits.max_attempts.get();
            let expected = if longest { limits.max_retry_pause } else { pause };
            assert_eq!(pause_of(&queue, "a").await, expected);
            pause = (pause * 2).min(limits.max_retry_pause);
        }
        assert_eq!(queue.tries(&cell), 11);
        queue.done(&cell, time(5), Duration::ZERO);
        assert_eq!(queue.tries(&cell), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_the_pause_of_the_observer() {
        let (queue, cell) = (queue(10, 1_000), found("a", 5).cell);
        let hour = Duration::from_secs(3_600);
        for (pause, expected) in [(hour, hour), (Duration::MAX, *DURATIONS.end())] {
            queue.postpone(&cell, 0, Some(pause));
            assert_eq!(pause_of(&queue, "a").await, expected);
        }
        assert_eq!(queue.tries(&cell), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn ignores_failures_beyond_the_bound_and_forgets_cells_that_are_gone() {
        let queue = queue(2, 1_000);
        let limits = WorkerLimits::default();
        let cell = |row| found(row, 5).cell;
        for row in ["a", "b", "c", "a"] {
            queue.postpone(&cell(row), queue.tries(&cell(row)) + 1, None);
        }
        let tries = || ["a", "b", "c"].map(|row| queue.tries(&cell(row)));
        assert_eq!(tries(), [2, 1, 0]);
        tokio::time::advance(limits.first_retry_pause).await;
        queue.forget_gone(Instant::now());
        assert_eq!(tries(), [2, 0, 0], "`a` is not due yet");
        tokio::time::advance(limits.max_retry_pause).await;
        queue.offer_found(found("a", 5));
        queue.forget_gone(Instant::now());
        assert_eq!(tries(), [2, 0, 0], "`a` was found");
    }

    #[tokio::test]
    async fn skips_a_waiting_cell_that_now_belongs_to_another_worker() {
        let queue = queue(10, 1_000);
        queue.offer_found(found("a", 5));
        let column = notification_column(&found("a", 5).cell.column);
        let shares = [0, 1].map(|remainder| share(2, remainder));
        let other =
            shares.into_iter().find(|share| !share.contains(&"a".into(), &column.qualifier));
        queue.set_share(other.as_ref());
        assert_eq!(queue.offer_found(found("a", 6)), Offered::Skipped);
        queue.close();
        assert_eq!(queue.next().await, None);
    }

    #[tokio::test]
    async fn gives_out_nothing_without_a_share() {
        let queue = queue(10, 1_000);
        queue.offer_found(found("a", 5));
        queue.set_share(None);
        assert_eq!(queue.offer_found(found("b", 6)), Offered::Skipped);
        assert_eq!(queue.next().now_or_never(), None);
        // The next scan finds both again.
        queue.set_share(Some(&share(1, 0)));
        for row in ["a", "b"] {
            assert_eq!(queue.offer_found(found(row, 6)), Offered::Queued);
            assert_eq!(queue.next().await, Some(found(row, 6)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn ends_a_pause_early_after_missing_room_and_when_a_retry_is_due() {
        let queue = queue(1, 1_000);
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3_600));
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), hour);
        queue.offer(&found("a", 5).cell, time(5));
        queue.offer(&found("b", 5).cell, time(5));
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), second, "a scan for `b` was requested");
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), hour, "the scan has begun");
        let running = queue.next().await.unwrap();
        queue.postpone(&running.cell, 1, None);
        assert_eq!(queue.offer_found(found("a", 6)), Offered::Skipped, "it has to wait");
        let begun = Instant::now();
        queue.rest(Duration::from_millis(1), hour).await;
        assert_eq!(begun.elapsed(), WorkerLimits::default().first_retry_pause);
        assert_eq!(queue.offer_found(found("a", 6)), Offered::Queued);
    }

    #[tokio::test(start_paused = true)]
    async fn has_room_for_a_scan_once_half_of_the_queue_was_run() {
        let queue = queue(4, 1_000);
        for row in ["a", "b", "c", "d"] {
            queue.offer_found(found(row, 5));
        }
        let has_room =
            async || tokio::time::timeout(Duration::from_secs(1), queue.room()).await.is_ok();
        queue.next().await;
        assert!(!has_room().await);
        queue.next().await;
        assert!(has_room().await);
    }

    /// With half of the bytes free, a scan continued at once at a cell that needed more than that,
    /// and found no room again, for as long as the tasks were busy.
    #[tokio::test(start_paused = true)]
    async fn reserves_room_for_the_cell_at_which_a_scan_stopped() {
        let queue = queue(10, 20);
        let has_room =
            async || tokio::time::timeout(Duration::from_secs(1), queue.room()).await.is_ok();
        let large = "sixteen bytes ..";
        assert_eq!(queue.offer_found(found("a", 5)), Offered::Queued);
        assert!(has_room().await);
        assert_eq!(queue.offer_found(found(large, 6)), Offered::NoRoom);
        assert!(!has_room().await);
        queue.offer(&found("b", 5).cell, time(5));
        assert_eq!(queue.next().await, Some(found("a", 5)));
        assert!(has_room().await, "`b` did not take the room");
        assert_eq!(queue.offer_found(found(large, 6)), Offered::Queued);
        assert_eq!(queue.next().await, Some(found(large, 6)));
        assert_eq!(queue.offer_found(found("b", 5)), Offered::Queued);
        // If the cell is gone when the scan continues, no room is reserved for it.
        assert_eq!(queue.offer_found(found("another of 19 b.", 6)), Offered::NoRoom);
        queue.end_scan();
        assert!(has_room().await);
    }
}
