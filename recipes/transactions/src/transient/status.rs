//! The states of the ranges of a repeated compaction: [`RangeStatus`].

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fluo_engine::Error;

use super::{CompactedRange, TransientRanges};

/// The state of one range of a repeated compaction.
#[derive(Clone, Debug, Default)]
pub struct RangeStatus {
    /// The number of runs that have ended, failed ones included.
    pub runs: u64,
    /// The number of runs that failed.
    pub failures: u64,
    /// True while the range is compacted.
    pub is_running: bool,
    /// The duration of the last run; `None` before the first run has ended.
    pub last_duration: Option<Duration>,
    /// The error of the last run; `None` if it succeeded.
    pub last_error: Option<Error>,
}

/// The states of all ranges, by their ids.
#[derive(Debug)]
pub(super) struct Statuses(Mutex<BTreeMap<String, RangeStatus>>);

impl Statuses {
    /// Creates the states of ranges that were not compacted yet.
    pub(super) fn new(ranges: &TransientRanges) -> Self {
        let new = ranges
            .iter()
            .map(|range| (range.id().to_owned(), RangeStatus::default()));
        Self(Mutex::new(new.collect()))
    }

    /// Records that a run of a range begins.
    pub(super) fn begin(&self, id: &str) {
        self.locked().entry(id.to_owned()).or_default().is_running = true;
    }

    /// Records the end of a run.
    pub(super) fn end(&self, compacted: &CompactedRange) {
        let mut statuses = self.locked();
        let status = statuses.entry(compacted.range.id().to_owned()).or_default();
        status.runs += 1;
        status.failures += u64::from(compacted.result.is_err());
        status.is_running = false;
        status.last_duration = Some(compacted.duration);
        status.last_error = compacted.error().cloned();
    }

    /// Records a run that failed before it began.
    pub(super) fn fail(&self, id: &str, error: Error) {
        let mut statuses = self.locked();
        let status = statuses.entry(id.to_owned()).or_default();
        status.runs += 1;
        status.failures += 1;
        status.last_error = Some(error);
    }

    /// Returns a copy of the states.
    pub(super) fn get(&self) -> BTreeMap<String, RangeStatus> {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, RangeStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
