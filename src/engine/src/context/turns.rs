//! Turns of transactions that conflict with each other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::RowColumn;
use tokio::sync::{Mutex as Lock, OwnedMutexGuard};
use tokio::time::{Instant, timeout, timeout_at};

use crate::mutex::Mutex;

/// Time after which a turn does not hold back the next run. Several attempts and pauses fit in it.
const MAX_TURN: Duration = Duration::from_secs(5);

/// The longest pause that a turn asks for.
const MAX_PAUSE: Duration = Duration::from_millis(500);

type Places = Arc<Mutex<BTreeMap<RowColumn, Arc<Place>>>>;

tokio::task_local! {
    /// The turns of the runs around a body, each by the places of its client.
    static AROUND: Vec<Places>;
}

/// The turns of one client's runs that conflict with each other.
///
/// Of transactions that change one cell at the same time, one commits, and the others must run
/// again. A retry therefore waits for the runs before it that conflicted at the same cell, and a
/// first attempt that is about to write the cell does too. A run does not wait for a turn that has
/// lasted for [`MAX_TURN`], so a body that hangs stops no other.
///
/// A turn is not a lock: other clients do not wait for it, and neither do some runs of this client,
/// for example those that began before the turn. But a run that conflicts in its turn has usually
/// met another client. The pauses at this cell then grow, and become shorter again with each turn,
/// so that meanwhile the other client commits several runs without a conflict.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    places: Places,
}

/// The queue of the runs at one cell.
#[derive(Debug, Default)]
struct Place {
    lock: Arc<Lock<()>>,
    begun: Mutex<Option<Instant>>,
    /// The last pause after a conflict, halved with each turn since.
    pause: Mutex<Duration>,
}

/// A run that waits at a place or has its turn there. The last one removes the place.
#[derive(Debug)]
struct Ticket {
    places: Places,
    cell: RowColumn,
    place: Arc<Place>,
}

/// A turn. The next one begins when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    ticket: Ticket,
    _guard: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits for a turn at the first of some cells, or keeps `held`, also at another cell. Returns
    /// `None` after `limit`.
    pub(crate) async fn wait(
        &self,
        cells: &[RowColumn],
        held: Option<Turn>,
        limit: Duration,
    ) -> Option<Turn> {
        // An expired one is released first, because other runs no longer wait for it.
        if let Some(held) = held.filter(|turn| !turn.ticket.place.has_expired()) {
            return Some(held);
        }
        let cell = cells.first()?;
        let take = async {
            loop {
                if let Some(turn) = self.ticket(cell).take().await {
                    return turn;
                }
            }
        };
        timeout(limit, take).await.ok()
    }

    /// Returns the first of some cells at which another run has a turn.
    pub(crate) fn taken(&self, is_one: impl Fn(&RowColumn) -> bool) -> Option<RowColumn> {
        let places = self.places.lock();
        let mut held = places.iter().filter(|(_, place)| !place.has_expired());
        held.find(|(cell, _)| is_one(cell)).map(|(cell, _)| cell.clone())
    }

    /// Returns `true` in the body of a run that has a turn of this client. A run within it takes
    /// none, because it may write the same cell.
    pub(crate) fn are_around(&self) -> bool {
        let is_around =
            |around: &Vec<Places>| around.iter().any(|it| Arc::ptr_eq(it, &self.places));
        AROUND.try_with(is_around).unwrap_or_default()
    }

    fn ticket(&self, cell: &RowColumn) -> Ticket {
        let mut places = self.places.lock();
        let usable = places.get(cell).filter(|place| !place.has_expired()).cloned();
        let place = usable.unwrap_or_default();
        places.insert(cell.clone(), place.clone());
        Ticket { places: self.places.clone(), cell: cell.clone(), place }
    }
}

impl Turn {
    /// Runs a body, and marks it as that of a run with a turn or without one.
    pub(crate) async fn during<T>(turn: Option<&Self>, body: impl Future<Output = T>) -> T {
        let mut around = AROUND.try_with(Clone::clone).unwrap_or_default();
        around.extend(turn.map(|turn| turn.ticket.places.clone()));
        AROUND.scope(around, body).await
    }

    /// Returns `true` if it is a turn at one of some cells.
    pub(crate) fn is_at(&self, cells: &[RowColumn]) -> bool {
        cells.contains(&self.ticket.cell)
    }

    /// Returns the pause after an attempt that conflicted in this turn: at least the time of the
    /// attempt, and twice the pause before.
    pub(crate) fn next_pause(&self, attempt: Duration) -> Duration {
        let mut pause = self.ticket.place.pause.lock();
        *pause = (*pause * 2).max(attempt).min(MAX_PAUSE);
        *pause
    }
}

impl Ticket {
    /// Waits for a turn. Returns `None` if another one lasts too long.
    async fn take(self) -> Option<Turn> {
        let place = &self.place;
        let mut guard = std::pin::pin!(place.lock.clone().lock_owned());
        loop {
            match timeout_at(place.expires(), &mut guard).await {
                Ok(guard) => {
                    *place.begun.lock() = Some(Instant::now());
                    *place.pause.lock() /= 2;
                    return Some(Turn { ticket: self, _guard: guard });
                }
                Err(_) if place.has_expired() => return None,
                Err(_) => {}
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut places = self.places.lock();
        // Two references are those of the map and of this ticket.
        let is_last =
            |place: &Arc<Place>| Arc::ptr_eq(place, &self.place) && Arc::strong_count(place) == 2;
        if places.get(&self.cell).is_some_and(is_last) {
            places.remove(&self.cell);
        }
    }
}

impl Place {
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
        let second = wait(&turns, "alice", None).await;
        assert_eq!(begun.elapsed(), MAX_TURN);
        // The turns after it are turns too, and each may last as long.
        let limit = Duration::from_millis(10);
        assert!(turns.wait(&[cell("alice")], None, limit).await.is_none());
        let third = wait(&turns, "alice", turn).await;
        assert_eq!(begun.elapsed(), MAX_TURN * 2);
        drop(second);
        assert_eq!(turns.taken(|_| true), Some(cell("alice")));
        drop(third);
        assert_eq!(turns.places.lock().len(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_with_conflicts_in_turns_and_shrink_with_turns() {
        let millis = Duration::from_millis;
        let turns = Turns::default();
        let turn = wait(&turns, "alice", None).await.unwrap();
        let pauses = [3, 3, 20].map(|attempt| turn.next_pause(millis(attempt)));
        assert_eq!(pauses, [3, 6, 20].map(millis));

        let next = turns.ticket(&cell("alice"));
        drop(turn);
        let turn = next.take().await.unwrap();
        assert_eq!(turn.next_pause(millis(3)), millis(20));
        assert_eq!(turn.next_pause(LONG), MAX_PAUSE);
        drop(turn);
        // The queue was empty.
        let turn = wait(&turns, "alice", None).await.unwrap();
        assert_eq!(turn.next_pause(millis(3)), millis(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cell_is_taken_until_its_turn_ends_or_expires() {
        let turns = Turns::default();
        let is_one = |one: &RowColumn| *one == cell("alice");
        assert_eq!(turns.taken(is_one), None);
        let _other = wait(&turns, "aaron", None).await;
        assert_eq!(turns.taken(is_one), None);
        let turn = wait(&turns, "alice", None).await;
        assert_eq!(turns.taken(is_one), Some(cell("alice")));
        tokio::time::advance(MAX_TURN).await;
        assert_eq!(turns.taken(is_one), None);
        let turn = wait(&turns, "alice", turn).await;
        assert_eq!(turns.taken(is_one), Some(cell("alice")));
        drop(turn);
        assert_eq!(turns.taken(is_one), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_at_its_limit_and_leaves_nothing_behind() {
        let turns = Turns::default();
        let turn = wait(&turns, "alice", None).await;
        let limit = Duration::from_millis(10);
        let begun = Instant::now();
        assert!(turns.wait(&[cell("alice")], None, limit).await.is_none());
        assert!(begun.elapsed() < MAX_TURN);
        assert_eq!(turns.places.lock().len(), 1);
        drop(turn);
        assert_eq!(turns.places.lock().len(), 0);
    }
}
