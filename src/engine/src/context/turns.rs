//! Turns of transactions that conflict with each other.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use fluo_table::RowColumn;
use tokio::sync::{Mutex as Lock, OwnedMutexGuard};
use tokio::time::{Instant, timeout, timeout_at};

use crate::mutex::Mutex;

/// Time after which a turn does not hold back the next run. Several attempts and pauses fit in it.
const MAX_TURN: Duration = Duration::from_secs(5);

/// The longest pause that a turn asks for.
const MAX_PAUSE: Duration = Duration::from_millis(500);

tokio::task_local! {
    /// `true` in the body of a run that has a turn.
    static IN_TURN: bool;
}

/// The turns of one client's runs that conflict with each other.
///
/// Of transactions that change one cell at the same time, one commits, and the others must run
/// again. A retry therefore waits for the runs before it that conflicted at the same cell, and a
/// first attempt that is about to write the cell does too. None waits for a turn that has lasted
/// for [`MAX_TURN`], so a body that hangs stops no other.
///
/// A turn is not a lock: other clients do not wait for it. If a run conflicts in its turn, another
/// client has changed the cell. The pauses at this cell then grow, and become shorter again with
/// each turn, so that meanwhile the other client commits several runs without a conflict.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    cells: Mutex<HashMap<RowColumn, Weak<Place>>>,
}

/// The queue of the runs at one cell.
#[derive(Debug, Default)]
struct Place {
    lock: Arc<Lock<()>>,
    begun: Mutex<Option<Instant>>,
    /// The last pause after a conflict, halved with each turn since.
    pause: Mutex<Duration>,
}

/// A turn. The next one begins when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    cell: RowColumn,
    place: Arc<Place>,
    _guard: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits for a turn at the first of some cells, or keeps `held` if it is one at any of them.
    /// Returns `None` if another turn there lasts too long, or after `limit`.
    pub(crate) async fn wait(
        &self,
        cells: &[RowColumn],
        held: Option<Turn>,
        limit: Duration,
    ) -> Option<Turn> {
        let is_kept = |turn: &Turn| cells.contains(&turn.cell) && !turn.place.has_expired();
        // Otherwise it is released first, so that two retries never wait for each other's turn.
        if let Some(held) = held.filter(is_kept) {
            return Some(held);
        }
        let cell = cells.first()?;
        let place = self.place(cell);
        timeout(limit, place.take(cell)).await.ok()?
    }

    /// Returns the first of some cells at which another run has a turn.
    pub(crate) fn taken<'c>(
        &self,
        mut cells: impl Iterator<Item = &'c RowColumn>,
    ) -> Option<RowColumn> {
        let places = self.cells.lock();
        let is_held = |place: Arc<Place>| !place.has_expired();
        let is_taken =
            |cell: &&RowColumn| places.get(*cell).and_then(Weak::upgrade).is_some_and(is_held);
        cells.find(is_taken).cloned()
    }

    fn place(&self, cell: &RowColumn) -> Arc<Place> {
        let mut cells = self.cells.lock();
        cells.retain(|_, place| place.strong_count() > 0);
        if let Some(place) = cells.get(cell).and_then(Weak::upgrade) {
            return place;
        }
        let place = Arc::new(Place::default());
        cells.insert(cell.clone(), Arc::downgrade(&place));
        place
    }
}

impl Turn {
    /// Runs a body, and marks it as that of a run with a turn or without one.
    pub(crate) async fn during<T>(turn: Option<&Self>, body: impl Future<Output = T>) -> T {
        IN_TURN.scope(turn.is_some() || Self::is_in_one(), body).await
    }

    /// Returns `true` in the body of a run that has a turn. A run within it takes none, because it
    /// may write the same cell.
    pub(crate) fn is_in_one() -> bool {
        IN_TURN.try_with(|is_in_one| *is_in_one).unwrap_or_default()
    }

    /// Returns the pause after an attempt that conflicted in this turn: at least the time of the
    /// attempt, and twice the pause before.
    pub(crate) fn next_pause(&self, attempt: Duration) -> Duration {
        let mut pause = self.place.pause.lock();
        *pause = (*pause * 2).max(attempt).min(MAX_PAUSE);
        *pause
    }
}

impl Place {
    async fn take(self: Arc<Self>, cell: &RowColumn) -> Option<Turn> {
        let mut guard = std::pin::pin!(self.lock.clone().lock_owned());
        loop {
            match timeout_at(self.expires(), &mut guard).await {
                Ok(guard) => {
                    *self.begun.lock() = Some(Instant::now());
                    *self.pause.lock() /= 2;
                    return Some(Turn { cell: cell.clone(), place: self, _guard: guard });
                }
                Err(_) if self.has_expired() => return None,
                Err(_) => {}
            }
        }
    }

    /// Returns the time at which the present turn holds back no run any more.
    fn expires(&self) -> Instant {
        let begun = self.begun.lock().unwrap_or_else(Instant::now);
        begun + MAX_TURN
    }

    fn has_expired(&self) -> bool {
        self.expires() <= Instant::now()
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;

    use super::*;

    const LONG: Duration = Duration::from_secs(3_600);

    fn cell(row: &'static str) -> RowColumn {
        RowColumn::new(row, Column::new("f", "q"))
    }

    async fn wait(turns: &Turns, row: &'static str, held: Option<Turn>) -> Option<Turn> {
        let cells = [cell(row)];
        timeout(LONG, turns.wait(&cells, held, LONG)).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_begins_when_the_one_before_it_ends() {
        let turns = Arc::new(Turns::default());
        let begun = Instant::now();
        let turn = wait(&turns, "alice", None).await;
        let turn = wait(&turns, "alice", turn).await;
        assert!(turn.is_some() && wait(&turns, "bob", None).await.is_some());

        let next = tokio::spawn({
            let turns = turns.clone();
            async move { wait(&turns, "alice", None).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!next.is_finished());
        drop(turn);
        assert!(next.await.unwrap());
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_lasts_too_long_holds_back_no_other() {
        let turns = Turns::default();
        let begun = Instant::now();
        let turn = wait(&turns, "alice", None).await;
        for _ in 0..20 {
            assert!(wait(&turns, "alice", None).await.is_none());
        }
        assert_eq!(begun.elapsed(), MAX_TURN);
        // It ends, and the next one may last as long.
        assert!(wait(&turns, "alice", turn).await.is_some());
        assert_eq!(begun.elapsed(), MAX_TURN);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_with_conflicts_in_turns_and_shrink_with_turns() {
        let millis = Duration::from_millis;
        let turns = Turns::default();
        let turn = wait(&turns, "alice", None).await.unwrap();
        let pauses = [3, 3, 20].map(|attempt| turn.next_pause(millis(attempt)));
        assert_eq!(pauses, [3, 6, 20].map(millis));

        let place = turn.place.clone();
        drop(turn);
        let turn = wait(&turns, "alice", None).await.unwrap();
        assert_eq!(turn.next_pause(millis(3)), millis(20));
        assert_eq!(turn.next_pause(LONG), MAX_PAUSE);
        drop((turn, place));
        // The queue was empty.
        let turn = wait(&turns, "alice", None).await.unwrap();
        assert_eq!(turn.next_pause(millis(3)), millis(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cell_is_taken_until_its_turn_ends_or_expires() {
        let turns = Turns::default();
        let cells = [cell("bob"), cell("alice")];
        assert_eq!(turns.taken(cells.iter()), None);
        let turn = wait(&turns, "alice", None).await;
        assert_eq!(turns.taken(cells.iter()), Some(cell("alice")));
        tokio::time::advance(MAX_TURN).await;
        assert_eq!(turns.taken(cells.iter()), None);
        let turn = wait(&turns, "alice", turn).await;
        assert_eq!(turns.taken(cells.iter()), Some(cell("alice")));
        drop(turn);
        assert_eq!(turns.taken(cells.iter()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_at_its_limit_and_leaves_nothing_behind() {
        let turns = Turns::default();
        let turn = wait(&turns, "alice", None).await;
        let limit = Duration::from_millis(10);
        let begun = Instant::now();
        assert!(turns.wait(&[cell("alice")], None, limit).await.is_none());
        assert!(begun.elapsed() < MAX_TURN);
        drop(turn);
        drop(wait(&turns, "bob", None).await);
        assert!(wait(&turns, "carol", None).await.is_some());
        assert_eq!(turns.cells.lock().len(), 1);
    }
}
