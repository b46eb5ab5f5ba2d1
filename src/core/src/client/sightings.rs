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

/// What this client knows of locks that are in its way.
#[derive(Debug, Default)]
pub(crate) struct Sightings {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// By primary and start of the transaction.
    since: BTreeMap<(RowColumn, Timestamp), Instant>,
    /// Transactors whose locks of up to a timestamp were waited for long enough.
    timed_out: BTreeMap<TransactorId, Timestamp>,
    swept: Option<Instant>,
}

/// Most transactions, and most transactors, that are remembered.
const MOST: usize = 32_768;
const BETWEEN_SWEEPS: Duration = Duration::from_secs(1);

impl Sightings {
    /// Whether a transaction that is in the way was waited for long enough; counts from the first time that this is
    /// asked.
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
        seen.make_room(patience);
        let key = (primary.clone(), start);
        if seen.since.len() >= MOST && !seen.since.contains_key(&key) {
            // Its time begins when there is room: those that were there before come first.
            return false;
        }
        let since = *seen.since.entry(key).or_insert_with(Instant::now);
        if since.elapsed() < patience {
            return false;
        }
        seen.timed_out.insert(transactor, start);
        true
    }

    /// Forgets a transaction that is out of the way.
    pub(crate) fn forget(&self, primary: &RowColumn, start: Timestamp) {
        self.locked().since.remove(&(primary.clone(), start));
    }

    fn locked(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Forgets what was not asked about for long: its owner has dealt with it. Looked through at most once in a while.
    fn make_room(&mut self, patience: Duration) {
        let is_due = self
            .swept
            .is_none_or(|swept| swept.elapsed() >= BETWEEN_SWEEPS);
        if self.since.len() >= MOST && is_due {
            let longest = patience.saturating_mul(2);
            self.since.retain(|_, since| since.elapsed() < longest);
            self.swept = Some(Instant::now());
        }
        if self.timed_out.len() >= MOST {
            self.timed_out.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[tokio::test(start_paused = true)]
    async fn a_lock_times_out_after_the_first_sight_and_takes_older_ones_of_its_transactor_along() {
        let sightings = Sightings::default();
        let at = |row: &'static str| RowColumn::new(row, Column::new("f", "q"));
        let time = |number| Timestamp::new(number).unwrap();
        let patience = Duration::from_secs(5);
        let asked = |row, start, transactor| {
            sightings.has_timed_out(&at(row), time(start), TransactorId(transactor), patience)
        };
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
        let (primary, start) = (RowColumn::new("a", Column::new("f", "q")), Timestamp::ZERO);
        let patience = Duration::from_secs(5);
        let asked = || sightings.has_timed_out(&primary, start, TransactorId(1), patience);
        assert!(!asked());
        tokio::time::advance(patience).await;
        sightings.forget(&primary, start);
        assert!(!asked());
    }
}
