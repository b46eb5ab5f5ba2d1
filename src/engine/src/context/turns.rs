//! Turns of transactions that conflict with each other.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use fluo_table::RowColumn;
use tokio::sync::{Mutex as Lock, OwnedMutexGuard};
use tokio::time::{Instant, timeout, timeout_at};

use crate::mutex::Mutex;

/// Time after which a turn does not hold back the next retry.
const MAX_TURN: Duration = Duration::from_secs(1);

/// The turns of one client's transactions that are retried after a conflict.
///
/// Of transactions that change one cell at the same time, one commits, and the others must run
/// again. A retry therefore waits for the retries before it that conflicted at the same cell. It
/// does not wait for a turn that has lasted for [`MAX_TURN`], so a body that hangs, or that
/// waits for another retry itself, stops no other.
///
/// A turn is not a lock: first attempts and other processes do not wait for it.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    cells: Mutex<HashMap<RowColumn, Weak<Place>>>,
}

/// The queue of the retries at one cell.
#[derive(Debug)]
struct Place {
    lock: Arc<Lock<()>>,
    begun: Mutex<Option<Instant>>,
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

    fn place(&self, cell: &RowColumn) -> Arc<Place> {
        let mut cells = self.cells.lock();
        cells.retain(|_, place| place.strong_count() > 0);
        if let Some(place) = cells.get(cell).and_then(Weak::upgrade) {
            return place;
        }
        let place = Arc::new(Place { lock: Arc::default(), begun: Mutex::new(None) });
        cells.insert(cell.clone(), Arc::downgrade(&place));
        place
    }
}

impl Place {
    async fn take(self: Arc<Self>, cell: &RowColumn) -> Option<Turn> {
        let mut guard = std::pin::pin!(self.lock.clone().lock_owned());
        loop {
            match timeout_at(self.expires(), &mut guard).await {
                Ok(guard) => {
                    *self.begun.lock() = Some(Instant::now());
                    return Some(Turn { cell: cell.clone(), place: self, _guard: guard });
                }
                Err(_) if self.has_expired() => return None,
                Err(_) => {}
            }
        }
    }

    /// Returns the time at which the present turn holds back no retry any more.
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
