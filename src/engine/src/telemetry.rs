//! Metrics and traces of the engine.
//!
//! Metrics go to the recorder that the process has installed for the crate [`metrics`]; without a
//! recorder they cost next to nothing. [`METRICS`] lists them, and [`describe`] gives the recorder
//! their units and descriptions.
//!
//! Traces go to the subscriber of the crate [`tracing`]. Their level is `DEBUG`, apart from
//! conditions that need an operator's attention, which are warnings. A transaction is a span
//! `transaction` with its `start` timestamp, whether a runner or the caller runs it; a snapshot is
//! a span `snapshot`. Each read and each write is an event in that span, with the cell and the
//! value, bytes escaped. The commit of a transaction is a span `commit`. A notification that is
//! processed is a span `notification` with its `cell` and the timestamp `at`; the span of its
//! transaction is nested in it.

pub use fluo_table::telemetry::{Metric, MetricKind};

/// Writes each metric as its kind, its name, its label with the values, and its description.
macro_rules! metrics {
    ($($kind:ident $name:ident $([$label:ident: $($value:literal),+])?: $text:literal;)*) => {
        &[$(
            Metric::$kind(stringify!($name), $text)
                $(.labels(&[(stringify!($label), &[$($value),+])]))?
        ),*]
    };
}

/// All metrics of the engine, sorted by name.
pub const METRICS: &[Metric] = metrics! {
    counter fluo_cells_read_total:
        "cells that transactions and snapshots have read";
    counter fluo_garbage_collections_total [outcome: "collected", "failed"]:
        "garbage collections that workers started, by outcome";
    gauge fluo_horizon_timestamp:
        "the timestamp below which garbage may be collected, as last advanced by a \
         client of this process";
    counter fluo_loads_failed_total:
        "bodies passed to loaders whose transaction failed permanently";
    histogram fluo_lock_wait_seconds:
        "waits of readers for a lock of another transaction, each by itself";
    counter fluo_locks_rolled_back_total:
        "locks of other transactions that were rolled back because these never committed";
    counter fluo_locks_rolled_forward_total:
        "locks of other transactions that were rolled forward because these had committed";
    histogram fluo_notification_tries:
        "tries of a notification until it was processed";
    counter fluo_notifications_found_total:
        "notifications that scans of the table have queued";
    gauge fluo_notifications_queued:
        "notifications that wait in memory";
    counter fluo_notifications_set_aside_total:
        "notifications that were moved to the dead letters after too many tries";
    counter fluo_notifications_total [outcome: "committed", "acknowledged", "passing", "failed"]:
        "tries of notifications: the transaction committed, another transaction had processed the \
         notification, a temporary failure will be retried, or the observer failed";
    gauge fluo_oldest_active_timestamp:
        "the oldest timestamp at which a transaction or snapshot reads, of the client that \
         published last in this process; 0 if there was none";
    counter fluo_sessions_ended_total:
        "sessions that ended while this process was running, each replaced by a new one";
    counter fluo_transaction_retries_total:
        "attempts of a runner after the first";
    counter fluo_transactions_recovered_total [cause: "dead", "timed out"]:
        "transactions of other clients that were rolled back because the client is no longer alive \
         or the transaction took too long";
    counter fluo_transactions_total
        [outcome: "committed", "conflict", "acknowledged", "stale", "failed"]:
        "commits, by outcome";
    counter fluo_unfinished_commits_total:
        "committed transactions whose locks are left for other transactions to resolve";
};

/// Passes the descriptions of [`METRICS`] to the recorder of the process. Call it once, after you
/// install the recorder.
pub fn describe() {
    METRICS.iter().for_each(Metric::describe);
}
