//! The figures as series of numbers: for the history, and as text for Prometheus.

use std::fmt::Write;

use fluo_table::telemetry::Metric;

use super::figures::Figures;

/// Writes each gauge as its name, its labels, and its description.
macro_rules! metrics {
    ($($name:ident [$($label:ident),*]: $text:literal;)*) => {
        &[$(
            Metric::gauge(stringify!($name), $text).labels(&[$((stringify!($label), &[])),*])
        ),*]
    };
}

/// All gauges of a monitor, sorted by name.
pub const METRICS: &[Metric] = metrics! {
    fluo_monitor_conflicts_per_second []:
        "transactions that conflicted, of the processes whose metrics are read";
    fluo_monitor_dead_letters [application]:
        "failed notifications";
    fluo_monitor_differences [table]:
        "differences of the layout from the recipes or the spec";
    fluo_monitor_errors []:
        "parts of the last reading that failed";
    fluo_monitor_fullest_over_mean [table]:
        "entries of the fullest tablet over the mean";
    fluo_monitor_group_entries [table, group]:
        "entries in the tablets of a group";
    fluo_monitor_group_tablets [table, group]:
        "tablets of a group";
    fluo_monitor_last_reading_timestamp_seconds []:
        "time at which the last reading began, in seconds since 1970";
    fluo_monitor_notifications [application]:
        "notifications that wait; at most the number that a reading counts";
    fluo_monitor_notifications_oldest_seconds [application]:
        "lower bound of the age of the oldest notification that was read";
    fluo_monitor_notifications_per_second []:
        "processed notifications, of the processes whose metrics are read";
    fluo_monitor_oldest_active_seconds [application]:
        "lower bound of the age of the oldest timestamp at which a transaction reads";
    fluo_monitor_oracles [application]:
        "oracles that lead or stand by";
    fluo_monitor_queue_dead_letters [application, queue]:
        "entries of a queue that could not be processed";
    fluo_monitor_queue_entries [application, queue]:
        "entries of a queue that wait";
    fluo_monitor_queue_oldest_seconds [application, queue]:
        "lower bound of the age of the oldest entry of a queue that was read";
    fluo_monitor_recoveries_per_second []:
        "recovered transactions of other clients, of the processes whose metrics are read";
    fluo_monitor_server_entries [table, server]:
        "entries of the tablets on a server";
    fluo_monitor_server_tablets [table, server]:
        "tablets on a server";
    fluo_monitor_transactions_per_second []:
        "committed transactions, of the processes whose metrics are read";
    fluo_monitor_transactors [application]:
        "processes that run transactions";
    fluo_monitor_unhosted_tablets [table]:
        "tablets that no server hosts";
    fluo_monitor_workers [application]:
        "workers";
};

/// The gauges with a history. Their number does not depend on the number of servers and groups.
pub(super) const CHARTED: [&str; 8] = [
    "fluo_monitor_conflicts_per_second",
    "fluo_monitor_fullest_over_mean",
    "fluo_monitor_notifications",
    "fluo_monitor_notifications_oldest_seconds",
    "fluo_monitor_oldest_active_seconds",
    "fluo_monitor_queue_entries",
    "fluo_monitor_recoveries_per_second",
    "fluo_monitor_transactions_per_second",
];

/// The value of a gauge with the values of its labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) name: &'static str,
    labels: Vec<String>,
    pub(super) value: f64,
}

impl Series {
    /// Returns the name with the labels, as Prometheus writes them.
    pub(super) fn key(&self) -> String {
        let metric = METRICS.iter().find(|metric| metric.name == self.name);
        let names = metric.map(|metric| metric.labels).unwrap_or_default();
        let labels = names.iter().zip(&self.labels);
        let labels = labels.map(|((name, _), value)| format!("{name}=\"{}\"", escaped(value)));
        let labels = labels.collect::<Vec<_>>().join(",");
        if labels.is_empty() { self.name.to_owned() } else { format!("{}{{{labels}}}", self.name) }
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Returns all figures that are known, sorted by name.
#[expect(clippy::cast_precision_loss, reason = "figures for a person to look at")]
pub(super) fn series(figures: &Figures) -> Vec<Series> {
    let mut all = Vec::new();
    let mut add = |name, labels: &[&String], value: Option<f64>| {
        let labels = labels.iter().map(|label| (*label).clone()).collect();
        all.extend(value.map(|value| Series { name, labels, value }));
    };
    let count = |count: usize| Some(count as f64);
    let number = |number: u64| Some(number as f64);
    add("fluo_monitor_errors", &[], count(figures.errors.len()));
    let begun = Some(figures.time_ms as f64 / 1_000.0);
    add("fluo_monitor_last_reading_timestamp_seconds", &[], begun);
    for table in &figures.tables {
        let name = &table.name;
        add("fluo_monitor_fullest_over_mean", &[name], table.fullest_over_mean);
        add("fluo_monitor_unhosted_tablets", &[name], count(table.unhosted));
        let differences = table.differences.as_ref().and_then(|found| count(found.len()));
        add("fluo_monitor_differences", &[name], differences);
        for (server, found) in &table.servers {
            add("fluo_monitor_server_tablets", &[name, server], count(found.tablets));
            add("fluo_monitor_server_entries", &[name, server], number(found.entries));
        }
        for group in &table.groups {
            add("fluo_monitor_group_tablets", &[name, &group.name], count(group.tablets));
            add("fluo_monitor_group_entries", &[name, &group.name], number(group.entries));
        }
    }
    for application in &figures.applications {
        let name = &application.name;
        // An application that could not be read has no notifications.
        let Some(waiting) = &application.notifications else { continue };
        add("fluo_monitor_notifications", &[name], number(waiting.count));
        add("fluo_monitor_notifications_oldest_seconds", &[name], waiting.oldest_seconds);
        add("fluo_monitor_oldest_active_seconds", &[name], application.oldest_active_seconds);
        add("fluo_monitor_transactors", &[name], count(application.transactors));
        add("fluo_monitor_workers", &[name], count(application.workers.len()));
        add("fluo_monitor_dead_letters", &[name], count(application.dead_letters));
        if application.needs_oracle {
            add("fluo_monitor_oracles", &[name], count(application.oracles.len()));
        }
        for queue in &application.queues {
            let labels = [name, &queue.id];
            add("fluo_monitor_queue_entries", &labels, number(queue.entries));
            add("fluo_monitor_queue_oldest_seconds", &labels, queue.oldest_seconds);
            add("fluo_monitor_queue_dead_letters", &labels, number(queue.dead_letters));
        }
    }
    if let Some(work) = &figures.work {
        add("fluo_monitor_transactions_per_second", &[], work.transactions);
        add("fluo_monitor_conflicts_per_second", &[], work.conflicts);
        add("fluo_monitor_recoveries_per_second", &[], work.recoveries);
        add("fluo_monitor_notifications_per_second", &[], work.notifications);
    }
    // Stable, so tables and applications keep their order.
    all.sort_by_key(|series| series.name);
    all
}

/// Returns the series as text for Prometheus.
pub(super) fn prometheus_text(series: &[Series]) -> String {
    let mut text = String::new();
    let mut last = "";
    for one in series {
        if one.name != last {
            let metric = METRICS.iter().find(|metric| metric.name == one.name);
            let description = metric.map(|metric| metric.description).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = writeln!(text, "# HELP {} {description}\n# TYPE {} gauge", one.name, one.name);
            last = one.name;
        }
        let _ = writeln!(text, "{} {}", one.key(), one.value);
    }
    text
}
