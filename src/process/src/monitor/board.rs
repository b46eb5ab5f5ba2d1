//! The last reading, and the history of an hour.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval};

use super::figures::Figures;
use super::reader::Monitor;
use super::series;

/// The time that the history covers.
const HOUR: Duration = Duration::from_secs(3_600);
/// The maximum number of series in the history. Those that come later are left out.
const MAX_SERIES: usize = 1_000;

/// The numbers of each series at each reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct History {
    /// The times of the readings, in milliseconds since 1970.
    pub times_ms: VecDeque<u64>,
    /// The values by name and labels, as Prometheus writes them; `None` where a reading has none.
    pub series: BTreeMap<String, VecDeque<Option<f64>>>,
}

impl History {
    /// Adds a reading, and drops those of more than an hour before it.
    pub fn add(&mut self, figures: &Figures) {
        let before = self.times_ms.len();
        self.times_ms.push_back(figures.time_ms);
        for one in series::series(figures) {
            let (key, is_full) = (one.key(), self.series.len() >= MAX_SERIES);
            if is_full && !self.series.contains_key(&key) {
                continue;
            }
            let values = self.series.entry(key).or_default();
            values.resize(before, None);
            values.push_back(Some(one.value));
        }
        let hour = u64::try_from(HOUR.as_millis()).unwrap_or(u64::MAX);
        let oldest = figures.time_ms.saturating_sub(hour);
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
#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<(Figures, History)>);

impl Board {
    /// Reads again and again, until this is dropped.
    pub(crate) async fn keep(&self, mut monitor: Monitor, pause: Duration) -> Infallible {
        let mut due = interval(pause);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            due.tick().await;
            let figures = monitor.read().await;
            let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            board.1.add(&figures);
            board.0 = figures;
        }
    }

    /// Returns the last figures as text for Prometheus.
    pub(crate) fn metrics(&self) -> String {
        self.with(|figures, _| series::prometheus_text(&series::series(figures)))
    }

    pub(super) fn with<T>(&self, read: impl FnOnce(&Figures, &History) -> T) -> T {
        let board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        read(&board.0, &board.1)
    }
}
