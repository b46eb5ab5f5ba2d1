//! Metrics of queues.
//!
//! They go to the recorder that the process has installed for the crate [`metrics`], as those of
//! [`fluo_engine::telemetry`] do. The value of the label `queue` is the id of the queue.

use std::fmt::Display;

use fluo_engine::Timestamp;
use fluo_engine::telemetry::Metric;
use num_traits::ToPrimitive;

use crate::stored_queue::Backlog;

/// All metrics of this crate, sorted by name.
pub const METRICS: &[Metric] =
    &[DEAD_LETTERS, LATE_EXPORTS, OLDEST_AGE, OLDEST_ENTRY, PROCESSED, WAITING_BYTES, WAITING];

pub(crate) const DEAD_LETTERS: Metric = Metric::counter(
    "fluo_queue_dead_letters_total",
    "entries that workers of this process have moved to the dead letters of a queue; those of a transaction that fails count again",
)
.labels(OF_QUEUE);
pub(crate) const LATE_EXPORTS: Metric = Metric::counter(
    "fluo_queue_late_exports_total",
    "exports that a table sink has not written, because a later one of the key was written before: blind exports, retried dead letters, and entries that a worker which was paused delivers again",
)
.labels(OF_QUEUE);
const OLDEST_AGE: Metric = Metric::gauge(
    "fluo_queue_oldest_entry_age_seconds",
    "a lower bound of the time since the oldest entry that was read began to wait in a queue, when its backlog was last read; 0 if none did, NaN if it is not known",
)
.labels(OF_QUEUE);
const OLDEST_ENTRY: Metric = Metric::gauge(
    "fluo_queue_oldest_entry_timestamp",
    "the sequence of the oldest entry that waited in a queue when its backlog was last read; 0 if none did",
)
.labels(OF_QUEUE);
pub(crate) const PROCESSED: Metric = Metric::counter(
    "fluo_queue_processed_total",
    "entries that workers of this process have combined or exported; those of a transaction that fails count again",
)
.labels(OF_QUEUE);
const WAITING_BYTES: Metric = Metric::gauge(
    "fluo_queue_waiting_bytes",
    "bytes of the entries that waited in a queue when its backlog was last read, or an estimate",
)
.labels(OF_QUEUE);
const WAITING: Metric = Metric::gauge(
    "fluo_queue_waiting_entries",
    "entries that waited in a queue when its backlog was last read, or an estimate",
)
.labels(OF_QUEUE);
const QUEUE: &str = "queue";
const OF_QUEUE: &[(&str, &[&str])] = &[(QUEUE, &[])];

/// Passes the descriptions of [`METRICS`] to the recorder of the process. Call it once, after you
/// install the recorder.
pub fn describe() {
    METRICS.iter().for_each(Metric::describe);
}

pub(crate) fn count(metric: Metric, queue: &impl Display, by: usize) {
    let by = by.to_u64().unwrap_or(u64::MAX);
    metrics::counter!(metric.name, QUEUE => queue.to_string()).increment(by);
}

/// Adds the counters of all queues for one of them, before their first counts.
pub(crate) fn start_counters(queue: &impl Display) {
    [DEAD_LETTERS, PROCESSED].into_iter().for_each(|metric| count(metric, queue, 0));
}

pub(crate) fn set_backlog(queue: &impl Display, backlog: &Backlog) {
    let number = |number: u64| number.to_f64().unwrap_or(f64::MAX);
    let age = match (backlog.oldest, backlog.oldest_age) {
        (None, _) => 0.0,
        (_, age) => age.map_or(f64::NAN, |age| age.as_secs_f64()),
    };
    let oldest = number(backlog.oldest.map_or(0, Timestamp::get));
    set_gauges(queue, [age, oldest, number(backlog.bytes), number(backlog.entries)]);
}

pub(crate) fn clear_backlog(queue: &impl Display) {
    set_gauges(queue, [f64::NAN; 4]);
}

fn set_gauges(queue: &impl Display, values: [f64; 4]) {
    for (metric, value) in [OLDEST_AGE, OLDEST_ENTRY, WAITING_BYTES, WAITING].iter().zip(values) {
        metrics::gauge!(metric.name, QUEUE => queue.to_string()).set(value);
    }
}
