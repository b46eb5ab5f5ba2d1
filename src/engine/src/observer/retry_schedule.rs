//! Notifications that failed, and the times of their retries.

use std::collections::BTreeMap;
use std::time::Duration;

use fluo_table::RowColumn;
use tokio::time::Instant;

use crate::context::Pauses;
use crate::observer::options::WorkerLimits;

/// The longest pause that an observer can ask for.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// The cells whose last try failed. They wait in the table (O4). This holds only their due times
/// and their numbers of tries.
#[derive(Debug, Default)]
pub(super) struct Failures {
    failing: BTreeMap<RowColumn, Failing>,
}

#[derive(Clone, Copy, Debug)]
struct Failing {
    tries: u32,
    pauses: Pauses,
    due: Instant,
}

impl Failures {
    /// Returns the number of failed tries of a cell.
    pub(super) fn tries(&self, cell: &RowColumn) -> u32 {
        self.failing.get(cell).map_or(0, |failing| failing.tries)
    }

    /// Checks whether a cell has to wait longer.
    pub(super) fn is_early(&self, cell: &RowColumn) -> bool {
        let failing = self.failing.get(cell);
        failing.is_some_and(|failing| failing.due > Instant::now())
    }

    /// Records a failed try, and the pause after it; `None` chooses the next longer one. If too
    /// many other cells are recorded, a new one is not. The others succeed or become dead letters
    /// in time, and scans find this one again until there is room.
    pub(super) fn postpone(
        &mut self,
        cell: &RowColumn,
        tries: u32,
        pause: Option<Duration>,
        limits: &WorkerLimits,
    ) {
        let before = self.failing.get(cell);
        if before.is_none() && self.failing.len() >= limits.max_queued_notifications {
            return;
        }
        let mut pauses = before.map_or_else(
            || Pauses::new(limits.first_retry_pause, limits.max_retry_pause),
            |before| before.pauses,
        );
        let pause = match (pause, tries >= limits.max_attempts.get()) {
            (Some(pause), _) => pause.min(LONGEST),
            (None, true) => limits.max_retry_pause,
            (None, false) => pauses.next_pause(),
        };
        let due = Instant::now() + pause;
        let failing = Failing { tries, pauses, due };
        self.failing.insert(cell.clone(), failing);
    }

    /// Forgets a cell that was processed.
    pub(super) fn forget(&mut self, cell: &RowColumn) {
        self.failing.remove(cell);
    }

    /// Forgets the cells that were due when a complete scan began, and that it did not find.
    pub(super) fn forget_gone(&mut self, begun: Instant, is_there: impl Fn(&RowColumn) -> bool) {
        self.failing.retain(|cell, failing| failing.due > begun || is_there(cell));
    }

    /// Returns the time at which the first of them is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.failing.values().map(|failing| failing.due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluo_table::Column;

    fn cell(row: &'static str) -> RowColumn {
        RowColumn::new(row, Column::new("f", "q"))
    }

    #[tokio::test(start_paused = true)]
    async fn doubles_pauses_up_to_the_longest_and_restarts_after_a_success() {
        let limits = WorkerLimits::default();
        let mut failures = Failures::default();
        let mut pause = limits.first_retry_pause;
        for tries in 1..12 {
            failures.postpone(&cell("a"), tries, None, &limits);
            let longest = tries >= limits.max_attempts.get();
            let expected = if longest { limits.max_retry_pause } else { pause };
            assert_eq!(failures.next_due(), Some(Instant::now() + expected));
            assert!(failures.is_early(&cell("a")) && !failures.is_early(&cell("b")));
            tokio::time::advance(expected).await;
            assert!(!failures.is_early(&cell("a")));
            pause = (pause * 2).min(limits.max_retry_pause);
        }
        assert_eq!(failures.tries(&cell("a")), 11);
        failures.forget(&cell("a"));
        assert_eq!((failures.tries(&cell("a")), failures.next_due()), (0, None));
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_the_pause_of_the_observer() {
        let limits = WorkerLimits::default();
        let mut failures = Failures::default();
        let hour = Duration::from_secs(3_600);
        failures.postpone(&cell("a"), 0, Some(hour), &limits);
        assert_eq!(failures.next_due(), Some(Instant::now() + hour));
        failures.postpone(&cell("a"), 0, Some(Duration::MAX), &limits);
        assert_eq!(failures.next_due(), Some(Instant::now() + LONGEST));
        assert_eq!(failures.tries(&cell("a")), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn ignores_cells_beyond_the_bound_and_forgets_cells_that_are_gone() {
        let limits = WorkerLimits { max_queued_notifications: 2, ..WorkerLimits::default() };
        let mut failures = Failures::default();
        for row in ["a", "b", "c", "a"] {
            let tries = failures.tries(&cell(row)) + 1;
            failures.postpone(&cell(row), tries, None, &limits);
        }
        let tries = |failures: &Failures| ["a", "b", "c"].map(|row| failures.tries(&cell(row)));
        assert_eq!(tries(&failures), [2, 1, 0]);
        tokio::time::advance(limits.first_retry_pause).await;
        failures.forget_gone(Instant::now(), |_| false);
        assert_eq!(tries(&failures), [2, 0, 0], "`a` is not due yet");
        tokio::time::advance(limits.max_retry_pause).await;
        failures.forget_gone(Instant::now(), |known| *known == cell("a"));
        assert_eq!(tries(&failures), [2, 0, 0], "`a` was found");
    }
}
