//! The times at which this client first met the locks of other transactions.
//!
//! The age of a lock counts from its first sighting by this client, so the clocks of other clients
//! do not matter. Once this client has waited long enough for one lock of a transactor, it does not
//! wait for that transactor's other locks up to the same timestamp.

use std::collections::BTreeMap;
use std::time::Duration;

use fluo_table::coordination::TransactorId;
use fluo_table::{RowColumn, Timestamp};
use tokio::time::Instant;

#[derive(Debug, Default)]
pub(crate) struct Sightings {
    /// Sightings by primary and start of the transaction.
    sightings: BTreeMap<(RowColumn, Timestamp), Sighting>,
    /// Number of checks so far.
    looks: usize,
    /// Transactors whose locks up to a timestamp have timed out.
    timed_out: BTreeMap<TransactorId, Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Sighting {
    since: Instant,
    last_look: usize,
}

/// Maximum number of transactions, and of transactors, to remember.
const MOST: usize = 32_768;

impl Sightings {
    /// Checks whether this client has waited long enough for a transaction. The time begins with
    /// the first check.
    pub(crate) fn has_timed_out(
        &mut self,
        primary: &RowColumn,
        start: Timestamp,
        transactor: TransactorId,
        patience: Duration,
    ) -> bool {
        if self.timed_out.get(&transactor).is_some_and(|up_to| start <= *up_to) {
            return true;
        }
        self.looks += 1;
        let (key, last_look) = ((primary.clone(), start), self.looks);
        if self.sightings.len() >= MOST && !self.sightings.contains_key(&key) {
            self.make_room();
        }
        let first = Sighting { since: Instant::now(), last_look };
        let sighting = self.sightings.entry(key).or_insert(first);
        sighting.last_look = last_look;
        if sighting.since.elapsed() < patience {
            return false;
        }
        if self.timed_out.len() >= MOST {
            self.timed_out.pop_first();
        }
        self.timed_out.insert(transactor, start);
        true
    }

    pub(crate) fn forget(&mut self, primary: &RowColumn, start: Timestamp) {
        self.sightings.remove(&(primary.clone(), start));
    }

    /// Forgets the transactions that were not checked recently: their owners have ended them. A
    /// transaction that a caller still waits for is checked repeatedly, so its time continues,
    /// however many other transactions are met.
    fn make_room(&mut self) {
        let recent = self.looks.saturating_sub(MOST / 2);
        self.sightings.retain(|_, seen| seen.last_look > recent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluo_table::Column;

    const PATIENCE: Duration = Duration::from_secs(5);

    fn asked(
        sightings: &mut Sightings,
        row: impl Into<String>,
        start: u64,
        transactor: u64,
    ) -> bool {
        let primary = RowColumn::new(row.into(), Column::new("f", "q"));
        let start = Timestamp::new(start).unwrap();
        sightings.has_timed_out(&primary, start, TransactorId(transactor), PATIENCE)
    }

    #[tokio::test(start_paused = true)]
    async fn times_out_a_lock_and_older_locks_of_its_transactor() {
        let mut sightings = Sightings::default();
        let mut asked = |row, start, transactor| asked(&mut sightings, row, start, transactor);
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
    async fn restarts_the_time_of_a_resolved_lock() {
        let mut sightings = Sightings::default();
        assert!(!asked(&mut sightings, "a", 0, 1));
        tokio::time::advance(PATIENCE).await;
        let primary = RowColumn::new("a", Column::new("f", "q"));
        sightings.forget(&primary, Timestamp::ZERO);
        assert!(!asked(&mut sightings, "a", 0, 1));
    }

    /// A busy client met more than 32,768 locks that their owners ended before its next check.
    /// Their places stayed taken for twice `rollback_after`. Until then the time of a lock whose
    /// owner hung did not begin: readers waited a quarter of an hour for it instead of five
    /// minutes.
    #[tokio::test(start_paused = true)]
    async fn starts_the_time_of_a_new_lock_at_once_after_many_others() {
        let mut sightings = Sightings::default();
        for number in 0..MOST {
            assert!(!asked(&mut sightings, format!("ended {number}"), 7, 1));
        }
        assert!(!asked(&mut sightings, "stuck", 8, 2));
        tokio::time::advance(PATIENCE).await;
        assert!(asked(&mut sightings, "stuck", 8, 2));
    }

    /// The time of a lock that is checked now and then continues while many other locks are met.
    #[tokio::test(start_paused = true)]
    async fn keeps_the_time_of_a_lock_while_many_others_are_met() {
        let mut sightings = Sightings::default();
        let second = Duration::from_secs(1);
        for round in 0..PATIENCE.as_secs() {
            assert!(!asked(&mut sightings, "stuck", 8, 2), "round {round}");
            for number in 0..MOST / 3 {
                asked(&mut sightings, format!("ended {round} {number}"), 7, 1);
            }
            tokio::time::advance(second).await;
        }
        assert!(asked(&mut sightings, "stuck", 8, 2));
        assert!(sightings.sightings.len() <= MOST);
    }
}
