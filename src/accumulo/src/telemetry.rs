//! Metrics of oracles and of sessions with ZooKeeper.
//!
//! They go to the recorder that the process has installed for the crate [`metrics`], as those of
//! the other crates do. [`describe`] gives the recorder their units and descriptions.

use fluo_table::telemetry::Metric;

/// All metrics of this crate, sorted by name.
pub const METRICS: &[Metric] = &[
    Metric::gauge(LEADS, "1 while an oracle of this process leads, otherwise 0"),
    Metric::counter(
        REFUSED,
        "requests that an oracle of this process has refused: damaged, of another application, or received while it did not lead",
    ),
    Metric::counter(
        RESERVATIONS,
        "reservations of timestamps in ZooKeeper by oracles of this process",
    ),
    Metric::counter(TERMS, "terms in which an oracle of this process has led"),
    Metric::counter(TIMESTAMPS, "timestamps that oracles of this process have handed out"),
    Metric::counter(
        SESSIONS,
        "sessions with ZooKeeper that this process has begun; each but the first replaces one that has ended",
    ),
];

pub(crate) const LEADS: &str = "fluo_oracle_leads";
pub(crate) const REFUSED: &str = "fluo_oracle_refused_requests_total";
pub(crate) const RESERVATIONS: &str = "fluo_oracle_reservations_total";
pub(crate) const TERMS: &str = "fluo_oracle_terms_total";
pub(crate) const TIMESTAMPS: &str = "fluo_oracle_timestamps_total";
pub(crate) const SESSIONS: &str = "fluo_zookeeper_sessions_total";

/// Passes the descriptions of [`METRICS`] to the recorder of the process. Call it once, after you
/// install the recorder.
pub fn describe() {
    METRICS.iter().for_each(Metric::describe);
}

pub(crate) fn count(name: &'static str, by: u64) {
    metrics::counter!(name).increment(by);
}
