//! What the engine tells of itself while it runs: metrics, and traces.
//!
//! Metrics go to whatever recorder the process has installed for the crate [`metrics`]; without one they cost next to
//! nothing. [`METRICS`] lists them, [`describe`] gives the recorder their units and descriptions.
//!
//! Traces go to the subscriber of the crate [`tracing`], all at the level `DEBUG` but for what somebody has to look at, which
//! is a warning. A transaction is a span `transaction` with its `start` timestamp, whether a runner runs it or its owner; a
//! snapshot is a span `snapshot`. In it, each read and each write is an event with the cell and the value, bytes escaped.
//! The commit of a transaction is a span `commit`. A notification that is processed is a span `notification` with its
//! `cell` and the timestamp `at`; the span of the transaction lies in it.

use metrics::Unit;

/// A metric of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metric {
    /// The name, `fluo_` in front.
    pub name: &'static str,
    /// How it counts.
    pub kind: MetricKind,
    /// Its label and the values that this can have, if it has one.
    pub label: Option<(&'static str, &'static [&'static str])>,
    /// What it counts.
    pub description: &'static str,
}

/// How a metric counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricKind {
    /// It only grows.
    Counter,
    /// It grows and shrinks.
    Gauge,
    /// Values are gathered, to see how they are distributed; in seconds where the name ends so.
    Histogram,
}

/// All metrics of the engine, by their names.
pub const METRICS: &[Metric] = &[
    counter(
        "fluo_cells_read_total",
        "cells that transactions and snapshots have read",
    ),
    labelled(
        "fluo_garbage_collections_total",
        "outcome",
        &["collected", "failed"],
        "collections of garbage that workers began, by their outcome",
    ),
    gauge(
        "fluo_horizon_timestamp",
        "the timestamp below which garbage may be collected, when the client that did so last in this process moved it up",
    ),
    counter(
        "fluo_loads_failed_total",
        "bodies handed to loaders whose transaction failed for good",
    ),
    histogram(
        "fluo_lock_wait_seconds",
        "waits of readers for a lock of another transaction, each by itself",
    ),
    counter(
        "fluo_locks_rolled_back_total",
        "locks of other transactions that were rolled back because these never committed",
    ),
    counter(
        "fluo_locks_rolled_forward_total",
        "locks of other transactions that were rolled forward because these had committed",
    ),
    histogram(
        "fluo_notification_tries",
        "tries that a notification took until it was dealt with",
    ),
    counter(
        "fluo_notifications_found_total",
        "notifications that scans of the table have queued",
    ),
    gauge(
        "fluo_notifications_queued",
        "notifications that wait in memory",
    ),
    counter(
        "fluo_notifications_set_aside_total",
        "notifications that were set aside after too many tries",
    ),
    labelled(
        "fluo_notifications_total",
        "outcome",
        &["committed", "acknowledged", "passing", "failed"],
        "tries of notifications: its transaction committed, another one had dealt with it, it will be tried again for a reason that passes, or its observer failed",
    ),
    gauge(
        "fluo_oldest_active_timestamp",
        "the oldest timestamp at which a transaction or snapshot reads, of the client that published last in this process; 0 where there was none",
    ),
    counter(
        "fluo_sessions_ended_total",
        "sessions of this process that ended while it went on, each replaced by a new one",
    ),
    counter(
        "fluo_transaction_retries_total",
        "attempts of a runner after the first",
    ),
    labelled(
        "fluo_transactions_recovered_total",
        "cause",
        &["dead", "timed out"],
        "transactions of others that were rolled back, because their process is gone or because they took too long",
    ),
    labelled(
        "fluo_transactions_total",
        "outcome",
        &["committed", "conflict", "acknowledged", "stale", "failed"],
        "commits, by what became of them",
    ),
    counter(
        "fluo_unfinished_commits_total",
        "committed transactions whose locks were left to whoever meets them",
    ),
];

/// Gives the process's recorder the descriptions of [`METRICS`]. Call it once, after the recorder is installed.
pub fn describe() {
    for metric in METRICS {
        let unit = match metric.name.ends_with("_seconds") {
            true => Unit::Seconds,
            false => Unit::Count,
        };
        match metric.kind {
            MetricKind::Counter => {
                metrics::describe_counter!(metric.name, unit, metric.description);
            }
            MetricKind::Gauge => metrics::describe_gauge!(metric.name, unit, metric.description),
            MetricKind::Histogram => {
                metrics::describe_histogram!(metric.name, unit, metric.description);
            }
        }
    }
}

const fn counter(name: &'static str, description: &'static str) -> Metric {
    let (kind, label) = (MetricKind::Counter, None);
    Metric {
        name,
        kind,
        label,
        description,
    }
}

const fn gauge(name: &'static str, description: &'static str) -> Metric {
    let kind = MetricKind::Gauge;
    Metric {
        kind,
        ..counter(name, description)
    }
}

const fn histogram(name: &'static str, description: &'static str) -> Metric {
    let kind = MetricKind::Histogram;
    Metric {
        kind,
        ..counter(name, description)
    }
}

const fn labelled(
    name: &'static str,
    label: &'static str,
    values: &'static [&'static str],
    description: &'static str,
) -> Metric {
    let label = Some((label, values));
    Metric {
        label,
        ..counter(name, description)
    }
}
