//! What a worker knows of the notifications that are its own: those that wait for a task, and those that are run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::select;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::data::{RowColumn, Timestamp};
use crate::layout::{Share, notification_column};
use crate::observer::WorkerSettings;
use crate::observer::failures::Failures;
use crate::observer::records::{Listing, Records};
use crate::observer::room::Room;

/// The notifications of one worker, between whoever finds them and the tasks that run them.
#[derive(Debug)]
pub(crate) struct Queue {
    settings: WorkerSettings,
    state: Mutex<State>,
    /// One permit for each notification that waits.
    ready: Semaphore,
    /// Tells whoever looks for notifications that the state has changed in a way that is its concern.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    share: Option<Share>,
    /// The oldest first.
    waiting: BTreeSet<(Timestamp, RowColumn)>,
    /// That of those that wait.
    room: Room,
    /// Those that wait and those that are run.
    tracked: BTreeMap<RowColumn, Tracked>,
    /// Cells that were dealt with since the look that is going on began, and up to which timestamp. The look may have
    /// read them before that.
    finished: BTreeMap<RowColumn, Timestamp>,
    is_looking: bool,
    failures: Failures,
    records: Records,
    is_look_wanted: bool,
    is_room_wanted: bool,
}

#[derive(Debug)]
struct Tracked {
    at: Timestamp,
    /// A later notification, found since.
    later: Option<Timestamp>,
}

/// A notification that is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) cell: RowColumn,
    pub(super) at: Timestamp,
}

/// What became of a notification that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// It waits for a task now.
    Queued,
    /// It is known, has been dealt with, is another's, or has to wait because it failed.
    Skipped,
    /// There is no room for it. If a look has found it, there is [in a while](Queue::room).
    NoRoom,
}

impl Queue {
    pub(super) fn new(settings: WorkerSettings) -> Self {
        Self {
            state: Mutex::new(State::new(&settings)),
            settings,
            ready: Semaphore::new(0),
            changed: Notify::new(),
        }
    }

    /// Takes a notification that was just written. Where there is no room, the table is looked at later.
    pub(crate) fn offer(&self, cell: &RowColumn, at: Timestamp) {
        self.admit_beside(&mut self.locked(), cell, at);
    }

    /// Takes a notification that a look has found.
    pub(super) fn take_found(&self, found: Found) -> Offered {
        let Found { cell, at } = found;
        let mut state = self.locked();
        state.room.end_promise();
        let offered = self.admit(&mut state, &cell, at);
        if offered == Offered::NoRoom {
            state.room.promise(&cell);
        }
        offered
    }

    /// The next notification to be run; none once the queue is closed.
    pub(super) async fn next(&self) -> Option<Found> {
        loop {
            self.ready.acquire().await.ok()?.forget();
            if let Some(found) = self.begin_next() {
                return Some(found);
            }
        }
    }

    /// A notification was dealt with, and every other one of its cell up to a timestamp.
    pub(super) fn done(&self, cell: &RowColumn, up_to: Timestamp) {
        let mut state = self.locked();
        state.failures.forget(cell);
        if state.is_looking && state.finished.len() < self.settings.max_queued_notifications * 2 {
            state.finished.insert(cell.clone(), up_to);
        }
        let later = state.tracked.remove(cell).and_then(|tracked| tracked.later);
        if let Some(later) = later.filter(|later| *later > up_to) {
            self.admit_beside(&mut state, cell, later);
        }
    }

    /// A notification failed after so many tries, and is to be tried again after a pause.
    pub(super) fn put_off(&self, cell: &RowColumn, tries: u32) {
        let mut state = self.locked();
        state.tracked.remove(cell);
        state.failures.put_off(cell, tries, &self.settings);
        self.changed.notify_one();
    }

    /// How often a cell was tried in vain.
    pub(super) fn tries(&self, cell: &RowColumn) -> u32 {
        self.locked().failures.tries(cell)
    }

    /// A record of a cell was added to those that are set aside.
    pub(super) fn add_set_aside(&self, cell: &RowColumn) {
        self.locked().records.add(cell);
    }

    /// All records that are set aside were listed, in a listing that [has begun](Self::set_share) before.
    pub(super) fn know_set_aside<'a>(
        &self,
        listing: Listing,
        records: impl IntoIterator<Item = &'a RowColumn>,
    ) {
        self.locked().records.know_all(listing, records);
    }

    /// Whether a record of a cell may be among those that are set aside. It is asked once.
    pub(super) fn take_set_aside(&self, cell: &RowColumn) -> bool {
        self.locked().records.take(cell)
    }

    /// Sets the share of the notifications that is this worker's; begins a listing of the records that are set aside where
    /// they have to be [made known](Self::know_set_aside).
    pub(super) fn set_share(&self, share: Share) -> Option<Listing> {
        let mut state = self.locked();
        if state.share.replace(share) != Some(share) {
            state.records.forget();
        }
        state.records.begin_listing()
    }

    /// A look at the table begins, or ends: meanwhile it is remembered what is dealt with.
    pub(super) fn set_looking(&self, is_looking: bool) {
        let mut state = self.locked();
        state.is_looking = is_looking;
        state.finished.clear();
    }

    /// Forgets the failures of cells that a whole look, begun at an instant, has not found.
    pub(super) fn forget_gone(&self, begun: Instant) {
        let mut state = self.locked();
        let State {
            failures, tracked, ..
        } = &mut *state;
        failures.forget_gone(begun, |cell| tracked.contains_key(cell));
    }

    /// A whole look is over, or has failed: what it found without room is met by the next one, and not by a part of it.
    pub(super) fn look_ended(&self) {
        self.locked().room.end_promise();
    }

    /// Waits until at most half of the room is taken, and what a look has found without room has room.
    pub(super) async fn room(&self) {
        loop {
            {
                let mut state = self.locked();
                state.is_room_wanted = !state.room.is_enough_for_look();
                if !state.is_room_wanted {
                    return;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Rests until the next look: a pause, or less if a notification that failed is due, or a look is asked for, but not
    /// less than the least one. Looks that fail, or find no room, do not follow each other at once.
    pub(super) async fn rest(&self, least: Duration, pause: Duration) {
        let now = Instant::now();
        let (earliest, latest) = (now + least, now + pause);
        loop {
            let until = {
                let state = self.locked();
                let due = state.failures.next_due();
                match state.is_look_wanted {
                    true => earliest,
                    false => due.map_or(latest, |due| due.clamp(earliest, latest)),
                }
            };
            select! {
                biased;
                () = sleep_until(until) => break,
                () = self.changed.notified() => {}
            }
        }
        // The look that begins now is the one.
        self.locked().is_look_wanted = false;
    }

    /// From now on nothing is given out.
    pub(super) fn close(&self) {
        self.ready.close();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.ready.is_closed()
    }

    fn admit(&self, state: &mut State, cell: &RowColumn, at: Timestamp) -> Offered {
        if let Some(tracked) = state.tracked.get_mut(cell) {
            if at > tracked.at {
                tracked.later = tracked.later.max(Some(at));
            }
            return Offered::Skipped;
        }
        let is_finished = state.finished.get(cell).is_some_and(|up_to| *up_to >= at);
        if is_finished || !state.owns(cell) || state.failures.is_early(cell) {
            return Offered::Skipped;
        }
        if !state.room.take(cell) {
            return Offered::NoRoom;
        }
        let tracked = Tracked { at, later: None };
        state.tracked.insert(cell.clone(), tracked);
        state.waiting.insert((at, cell.clone()));
        metrics::gauge!("fluo_notifications_queued").increment(1);
        self.ready.add_permits(1);
        Offered::Queued
    }

    /// Admits what no look has found. Where there is no room, the table is looked at later.
    fn admit_beside(&self, state: &mut State, cell: &RowColumn, at: Timestamp) {
        if self.admit(state, cell, at) == Offered::NoRoom {
            state.is_look_wanted = true;
            self.changed.notify_one();
        }
    }

    fn begin_next(&self) -> Option<Found> {
        let mut state = self.locked();
        let (at, cell) = state.waiting.pop_first()?;
        metrics::gauge!("fluo_notifications_queued").decrement(1);
        state.room.give_back(&cell);
        if state.is_room_wanted && state.room.is_enough_for_look() {
            self.changed.notify_one();
        }
        if !state.owns(&cell) {
            // The shares were dealt out anew while it waited.
            state.tracked.remove(&cell);
            return None;
        }
        Some(Found { cell, at })
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(settings: &WorkerSettings) -> Self {
        Self {
            share: None,
            waiting: BTreeSet::new(),
            room: Room::new(settings),
            tracked: BTreeMap::new(),
            finished: BTreeMap::new(),
            is_looking: false,
            failures: Failures::default(),
            records: Records::default(),
            is_look_wanted: false,
            is_room_wanted: false,
        }
    }

    /// Whether a cell is this worker's; nothing is before its share is known.
    fn owns(&self, cell: &RowColumn) -> bool {
        self.share.is_some_and(|share| {
            share.divisor().get() == 1
                || share.owns(&cell.row, &notification_column(&cell.column).qualifier)
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let left = self.locked().waiting.len();
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        metrics::gauge!("fluo_notifications_queued").decrement(left);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::data::Column;

    fn found(row: &'static str, at: u64) -> Found {
        Found {
            cell: RowColumn::new(row, Column::new("f", "q")),
            at: time(at),
        }
    }

    fn time(at: u64) -> Timestamp {
        Timestamp::new(at).unwrap()
    }

    fn queue(max_queued_notifications: usize, max_queued_bytes: usize) -> Queue {
        let queue = Queue::new(WorkerSettings {
            max_queued_notifications,
            max_queued_bytes,
            ..WorkerSettings::default()
        });
        queue.set_share(Share::new(NonZeroU32::MIN, 0).unwrap());
        queue
    }

    #[tokio::test]
    async fn what_waits_is_bounded_in_number_and_in_bytes_and_the_oldest_comes_first() {
        let by_number = queue(2, 1_000);
        let offered = ["a", "b", "c"].map(|row| by_number.take_found(found(row, 9)));
        assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::NoRoom]);
        // Each has a row of one byte, and a column of two.
        let by_bytes = queue(10, 7);
        let offered =
            [("a", 9), ("b", 8), ("c", 7)].map(|(row, at)| by_bytes.take_found(found(row, at)));
        assert_eq!(offered, [Offered::Queued, Offered::Queued, Offered::NoRoom]);
        assert_eq!(by_bytes.next().await, Some(found("b", 8)));
        assert_eq!(by_bytes.next().await, Some(found("a", 9)));
    }

    #[tokio::test]
    async fn a_cell_is_known_until_it_is_done_and_runs_again_for_a_later_notification() {
        let queue = queue(10, 1_000);
        assert_eq!(queue.take_found(found("a", 5)), Offered::Queued);
        assert_eq!(queue.take_found(found("a", 5)), Offered::Skipped);
        let running = queue.next().await.unwrap();
        queue.offer(&running.cell, time(7));
        queue.offer(&running.cell, time(6));
        queue.done(&running.cell, time(6));
        assert_eq!(queue.next().await, Some(found("a", 7)));
        queue.offer(&running.cell, time(8));
        queue.done(&running.cell, time(8));
        queue.close();
        assert_eq!(queue.next().await, None, "it was dealt with up to 8");
    }

    #[tokio::test]
    async fn what_a_look_has_read_before_it_was_done_is_not_run_again() {
        let queue = queue(10, 1_000);
        queue.set_looking(true);
        queue.take_found(found("a", 5));
        let running = queue.next().await.unwrap();
        queue.done(&running.cell, time(6));
        assert_eq!(queue.take_found(found("a", 5)), Offered::Skipped);
        assert_eq!(
            queue.take_found(found("a", 7)),
            Offered::Queued,
            "a later one"
        );
        let running = queue.next().await.unwrap();
        queue.done(&running.cell, time(8));
        queue.set_looking(false);
        assert_eq!(
            queue.take_found(found("a", 7)),
            Offered::Queued,
            "a new look has read it"
        );
    }

    /// A worker that could not list the records when its share became another one never knew them, so that a success did
    /// not forget the record of its cell.
    #[tokio::test]
    async fn records_are_to_be_listed_until_they_were() {
        let queue = queue(10, 1_000);
        let share = Share::new(NonZeroU32::MIN, 0).unwrap();
        let listing = queue.set_share(share);
        let listing = listing.expect("it was set, and nothing listed");
        let [a, b] = ["a", "b"].map(|row| found(row, 5).cell);
        assert!(queue.take_set_aside(&b), "nobody knows");
        queue.know_set_aside(listing, [&a]);
        assert_eq!(queue.set_share(share), None);
        assert!(queue.take_set_aside(&a) && !queue.take_set_aside(&b));
        let other = Share::new(NonZeroU32::MIN.saturating_add(1), 0).unwrap();
        assert!(queue.set_share(other).is_some());
        assert!(queue.take_set_aside(&b), "it may have been another's");
    }

    #[tokio::test]
    async fn what_became_anothers_while_it_waited_is_not_run() {
        let queue = queue(10, 1_000);
        queue.take_found(found("a", 5));
        let two = NonZeroU32::MIN.saturating_add(1);
        let column = notification_column(&found("a", 5).cell.column);
        let shares = [0, 1].map(|remainder| Share::new(two, remainder).unwrap());
        let other = shares
            .into_iter()
            .find(|share| !share.owns(b"a", &column.qualifier));
        assert!(queue.set_share(other.unwrap()).is_some());
        assert_eq!(queue.take_found(found("a", 6)), Offered::Skipped);
        queue.close();
        assert_eq!(queue.next().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rest_ends_early_when_there_was_no_room_and_when_one_that_failed_is_due() {
        let queue = queue(1, 1_000);
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3_600));
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), hour);
        queue.offer(&found("a", 5).cell, time(5));
        queue.offer(&found("b", 5).cell, time(5));
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), second, "`b` has to be looked for");
        let begun = Instant::now();
        queue.rest(second, hour).await;
        assert_eq!(begun.elapsed(), hour, "it was looked for");
        let running = queue.next().await.unwrap();
        queue.put_off(&running.cell, 1);
        assert_eq!(
            queue.take_found(found("a", 6)),
            Offered::Skipped,
            "it has to wait"
        );
        let begun = Instant::now();
        queue.rest(Duration::from_millis(1), hour).await;
        assert_eq!(begun.elapsed(), WorkerSettings::default().first_retry_pause);
        assert_eq!(queue.take_found(found("a", 6)), Offered::Queued);
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_there_when_half_of_the_queue_was_run() {
        let queue = queue(4, 1_000);
        for row in ["a", "b", "c", "d"] {
            queue.take_found(found(row, 5));
        }
        let has_room = async || {
            tokio::time::timeout(Duration::from_secs(1), queue.room())
                .await
                .is_ok()
        };
        queue.next().await;
        assert!(!has_room().await);
        queue.next().await;
        assert!(has_room().await);
    }

    /// With half of the bytes free, a look went on at once at a cell that needed more than that, and found no room again,
    /// for as long as the tasks were busy.
    #[tokio::test(start_paused = true)]
    async fn a_cell_without_room_gets_it_before_the_look_goes_on_and_before_others() {
        let queue = queue(10, 20);
        let has_room = async || {
            tokio::time::timeout(Duration::from_secs(1), queue.room())
                .await
                .is_ok()
        };
        let large = "sixteen bytes ..";
        assert_eq!(queue.take_found(found("a", 5)), Offered::Queued);
        assert!(has_room().await);
        assert_eq!(queue.take_found(found(large, 6)), Offered::NoRoom);
        assert!(!has_room().await);
        queue.offer(&found("b", 5).cell, time(5));
        assert_eq!(queue.next().await, Some(found("a", 5)));
        assert!(has_room().await, "`b` did not get it");
        assert_eq!(queue.take_found(found(large, 6)), Offered::Queued);
        assert_eq!(queue.next().await, Some(found(large, 6)));
        assert_eq!(queue.take_found(found("b", 5)), Offered::Queued);
        // Where it is gone when the look goes on, nothing is kept for it.
        assert_eq!(
            queue.take_found(found("another of 19 b.", 6)),
            Offered::NoRoom
        );
        queue.look_ended();
        assert!(has_room().await);
    }
}
