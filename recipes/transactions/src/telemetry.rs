//! Metrics of queues.
//!
//! They go to the recorder that the process has installed for the crate [`metrics`], as those of
//! [`fluo_engine::telemetry`] do. The value of the label `queue` is the id of the queue.

use std::fmt::Display;

use fluo_engine::telemetry::Metric;
use num_traits::ToPrimitive;

/// All metrics of this crate, sorted by name.
pub const METRICS: &[Metric] = &[
    Metric::counter(
        DEAD_LETTERS,
        "entries that workers of this process have moved to the dead letters of a queue; those of a transaction that fails count again",
    )
    .label(QUEUE, &[]),
    Metric::counter(
        LATE_EXPORTS,
        "exports that a table sink has not written, because a later one of the key was written before: blind exports, retried dead letters, and entries that a worker which was paused delivers again",
    )
    .label(QUEUE, &[]),
    Metric::gauge(
        OLDEST_ENTRY,
        "the sequence of the oldest entry that waited in a queue when its backlog was last read; 0 if none did",
    )
    .label(QUEUE, &[]),
    Metric::counter(
        PROCESSED,
        "entries that workers of this process have combined or exported; those of a transaction that fails count again",
    )
    .label(QUEUE, &[]),
    Metric::gauge(
        WAITING,
        "entries that waited in a queue when its backlog was last read",
    )
    .label(QUEUE, &[]),
];

pub(crate) const DEAD_LETTERS: &str = "fluo_queue_dead_letters_total";
pub(crate) const LATE_EXPORTS: &str = "fluo_queue_late_exports_total";
pub(crate) const OLDEST_ENTRY: &str = "fluo_queue_oldest_entry_timestamp";
pub(crate) const PROCESSED: &str = "fluo_queue_processed_total";
pub(crate) const WAITING: &str = "fluo_queue_waiting_entries";
const QUEUE: &str = "queue";

/// Passes the descriptions of [`METRICS`] to the recorder of the process. Call it once, after you
/// install the recorder.
pub fn describe() {
    METRICS.iter().for_each(Metric::describe);
}

pub(crate) fn count(name: &'static str, queue: &impl Display, by: usize) {
    let by = by.to_u64().unwrap_or(u64::MAX);
    metrics::counter!(name, QUEUE => queue.to_string()).increment(by);
}

pub(crate) fn set(name: &'static str, queue: &impl Display, to: u64) {
    metrics::gauge!(name, QUEUE => queue.to_string()).set(to.to_f64().unwrap_or(f64::MAX));
}
