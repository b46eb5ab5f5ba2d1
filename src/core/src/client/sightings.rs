//! Since when the locks of others are in the way.
//!
//! The age of a lock is counted from when this client first met it: clocks of others are not asked. Once one lock of a
//! transactor was waited for long enough, its other locks up to that timestamp are not waited for again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::coordination::TransactorId;
use crate::data::{RowColumn, Timestamp};
use crate::planted::{self, PlantedBug};

/// The transactions that are in the way of this client.
#[derive(Debug, Default)]
pub(crate) struct Sightings {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// By primary and start of the transaction.
    sightings: BTreeMap<(RowColumn, Timestamp), Sighting>,
    /// Number of looks so far.
    looks: usize,
    /// Transactors whose locks of up to a timestamp were waited for long enough.
    timed_out: BTreeMap<TransactorId, Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Sighting {
    since: Instant,
    /// The number of the last look at it.
    last_look: usize,
}

/// Maximum number of transactions, and of transactors, to remember.
const MOST: usize = 32_768;

impl Sightings {
    /// Checks whether a transaction that is in the way was waited for long enough. Its time begins with the first check.
    pub(crate) fn has_timed_out(
        &self,
        primary: &RowColumn,
        start: Timestamp,
        transactor: TransactorId,
        patience: Duration,
    ) -> bool {
        let mut seen = self.locked();
        if seen
            .timed_out
            .get(&transactor)
            .is_some_and(|up_to| start <= *up_to)
        {
            return true;
        }
        let since = seen.look_at((primary.clone(), start));
        if since.elapsed() < patience {
            return false;
        }
        if seen.timed_out.len() >= MOST {
            seen.timed_out.pop_first();
        }
        seen.timed_out.insert(transactor, start);
        true
    }

    /// Forgets a transaction that is out of the way.
    pub(crate) fn forget(&self, primary: &RowColumn, start: Timestamp) {
        self.locked().sightings.remove(&(primary.clone(), start));
    }

    fn locked(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Counts a look at a transaction, and returns when the first was.
    fn look_at(&mut self, key: (RowColumn, Timestamp)) -> Instant {
        self.looks += 1;
        let last_look = self.looks;
        if self.sightings.len() >= MOST && !self.sightings.contains_key(&key) {
            if planted::is(PlantedBug::NoRoomForSightings) {
                return Instant::now();
            }
            self.make_room();
        }
        let sighting = self.sightings.entry(key).or_insert_with(|| Sighting {
            since: Instant::now(),
            last_look,
        });
        sighting.last_look = last_look;
        sighting.since
    }

    /// Forgets the transactions that were not looked at lately: their owners have ended them. One that is still waited for
    /// is looked at again and again, so its time goes on, however many others come and go.
    fn make_room(&mut self) {
        let recent = self.looks.saturating_sub(MOST / 2);
        self.sightings.retain(|_, seen| seen.last_look > recent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    const PATIENCE: Duration = Duration::from_secs(5);

    fn asked(sightings: &Sightings, row: impl Into<String>, start: u64, transactor: u64) -> bool {
        let primary = RowColumn::new(row.into(), Column::new("f", "q"));
        let start = Timestamp::new(start).unwrap();
        sightings.has_timed_out(&primary, start, TransactorId(transactor), PATIENCE)
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_times_out_after_the_first_sight_and_takes_older_ones_of_its_transactor_along() {
        let sightings = Sightings::default();
        let asked = |row, start, transactor| asked(&sightings, row, start, transactor);
        assert!(!asked("a", 7, 1));
        tokio::time::advance(Duration::from_secs(4)).await;
        assert!(!asked("a", 7, 1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(asked("a", 7, 1));
        assert!(asked("b", 6, 1), "an older one of the same transactor");
        assert!(!asked("b", 8, 1), "a younger one has its own time");
        assert!(!asked("b", 6, 2), "another transactor has its own time");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_out_of_the_way_is_counted_anew() {
        let sightings = Sightings::default();
        assert!(!asked(&sightings, "a", 0, 1));
        tokio::time::advance(PATIENCE).await;
        let primary = RowColumn::new("a", Column::new("f", "q"));
        sightings.forget(&primary, Timestamp::ZERO);
        assert!(!asked(&sightings, "a", 0, 1));
    }

    /// A busy client met more than 32,768 locks that their owners ended before it looked again. Their places stayed
    /// taken for twice `rollback_after`, and for as long the time of a lock whose owner hung did not begin: readers
    /// waited a quarter of an hour for it in place of five minutes.
    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_new_lock_begins_at_once_however_many_others_there_were() {
        let sightings = Sightings::default();
        for number in 0..MOST {
            assert!(!asked(&sightings, format!("ended {number}"), 7, 1));
        }
        assert!(!asked(&sightings, "stuck", 8, 2));
        tokio::time::advance(PATIENCE).await;
        assert!(asked(&sightings, "stuck", 8, 2));
    }

    /// The time of a lock that is looked at now and then goes on while many others come and go.
    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_lock_that_is_waited_for_goes_on_while_others_come_and_go() {
        let sightings = Sightings::default();
        let second = Duration::from_secs(1);
        for round in 0..PATIENCE.as_secs() {
            assert!(!asked(&sightings, "stuck", 8, 2), "round {round}");
            for number in 0..MOST / 3 {
                asked(&sightings, format!("ended {round} {number}"), 7, 1);
            }
            tokio::time::advance(second).await;
        }
        assert!(asked(&sightings, "stuck", 8, 2));
        assert!(sightings.locked().sightings.len() <= MOST);
    }
}
