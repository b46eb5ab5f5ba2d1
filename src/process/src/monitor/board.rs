//! The last reading, and the history of an hour.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::figures::Figures;
use super::reader::Monitor;
use super::series::{self, CHARTED};

/// The time that the history covers, and the shortest time between two of its readings but the
/// last.
const HOUR_MS: u64 = 3_600_000;
const MIN_STEP_MS: u64 = 5_000;
/// The maximum number of series in the history. Those that come later are left out.
const MAX_SERIES: usize = 1_000;

/// The numbers of the series that the page draws, at the readings of an hour.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct History {
    /// The times of the readings, in milliseconds since 1970.
    pub times_ms: VecDeque<u64>,
    /// The values by name and labels, as Prometheus writes them; `None` where a reading has none.
    pub series: BTreeMap<String, VecDeque<Option<f64>>>,
}

impl History {
    /// Adds a reading, and drops those of more than an hour before it. It replaces the last one if
    /// that is less than five seconds after the one before.
    pub fn add(&mut self, figures: &Figures) {
        let step = self.times_ms.iter().rev().take(2).copied().collect::<Vec<_>>();
        if let [last, before] = step[..]
            && last.saturating_sub(before) < MIN_STEP_MS
        {
            self.times_ms.pop_back();
            self.series.values_mut().for_each(|values| values.truncate(self.times_ms.len()));
        }
        let before = self.times_ms.len();
        self.times_ms.push_back(figures.time_ms);
        let all = series::series(figures);
        for one in all.iter().filter(|one| CHARTED.contains(&one.name)) {
            let (key, is_full) = (one.key(), self.series.len() >= MAX_SERIES);
            if is_full && !self.series.contains_key(&key) {
                continue;
            }
            let values = self.series.entry(key).or_default();
            values.resize(before, None);
            values.push_back(Some(one.value));
        }
        let oldest = figures.time_ms.saturating_sub(HOUR_MS);
        let old = self.times_ms.iter().take_while(|time| **time < oldest).count();
        self.times_ms.drain(..old);
        let count = self.times_ms.len();
        self.series.retain(|_, values| {
            values.resize(old + count, None);
            values.drain(..old);
            values.iter().any(Option::is_some)
        });
    }
}

/// The last figures with their history, which the port answers.
#[derive(Debug)]
pub(crate) struct Board {
    pause: Duration,
    state: Mutex<(Option<Reading>, History)>,
}

#[derive(Debug)]
pub(super) struct Reading {
    pub(super) figures: Figures,
    ended: Instant,
}

impl Reading {
    /// Returns the time since the reading ended.
    pub(super) fn age(&self) -> Duration {
        self.ended.elapsed()
    }
}

impl Board {
    pub(crate) fn new(pause: Duration) -> Self {
        Self { pause, state: Mutex::default() }
    }

    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    /// Reads again and again, until this is dropped.
    pub(crate) async fn run(&self, mut monitor: Monitor) -> Infallible {
        loop {
            let figures = monitor.read().await;
            {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.1.add(&figures);
                state.0 = Some(Reading { figures, ended: Instant::now() });
            }
            sleep(self.pause).await;
        }
    }

    /// Returns the last figures as text for Prometheus; no lines before the first reading.
    pub(crate) fn metrics(&self) -> String {
        self.with(|last, _| {
            let text = last.map(|last| series::prometheus_text(&series::series(&last.figures)));
            text.unwrap_or_default()
        })
    }

    pub(super) fn with<T>(&self, read: impl FnOnce(Option<&Reading>, &History) -> T) -> T {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        read(state.0.as_ref(), &state.1)
    }
}
