#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
//! Every metric that is recorded is listed, every one that is listed is recorded, and the docs show the list.

use std::collections::BTreeSet;

use fluo_core::telemetry::{METRICS, Metric, MetricKind, describe};
use fluo_tests::simulation::Simulation;
use metrics_util::CompositeKey;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

/// Seeds whose runs record every metric but those that are rare.
const SEEDS: u64 = 30;

/// Those that so few runs may not record, each with the reason.
const RARE: [(&str, &str); 2] = [
    (
        "fluo_loads_failed_total",
        "the bodies of the simulated loaders are tried for ever",
    ),
    (
        "fluo_unfinished_commits_total",
        "a client is seldom cut off in the last step of a commit and lives",
    ),
];

/// A name with the value of its label, if it has one.
type Recorded = (String, Option<String>);

/// What some runs record.
fn recorded() -> BTreeSet<Recorded> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    ::metrics::with_local_recorder(&recorder, || {
        for seed in 1..=SEEDS {
            assert!(Simulation::new(seed).run().unwrap().violations.is_empty());
        }
    });
    let all = snapshotter.snapshot().into_vec();
    let one = |(key, _, _, _): (CompositeKey, _, _, DebugValue)| {
        let label = key.key().labels().next();
        let label = label.map(|label| label.value().to_owned());
        (key.key().name().to_owned(), label)
    };
    all.into_iter().map(one).collect()
}

#[test]
fn what_is_recorded_is_what_is_listed() {
    let recorded = recorded();
    let listed: BTreeSet<Recorded> = METRICS.iter().flat_map(with_labels).collect();
    let unlisted: Vec<_> = recorded.difference(&listed).collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let is_rare = |name: &str| RARE.iter().any(|(rare, _)| *rare == name);
    let silent = listed.difference(&recorded);
    let silent: Vec<_> = silent.filter(|(name, _)| !is_rare(name)).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// As which it is recorded.
fn with_labels(metric: &Metric) -> Vec<Recorded> {
    let name = metric.name.to_owned();
    match metric.label {
        Some((_, values)) => {
            let recorded = |value: &&str| (name.clone(), Some((*value).to_owned()));
            values.iter().map(recorded).collect()
        }
        None => vec![(name, None)],
    }
}

#[test]
fn the_recorder_is_told_what_they_are() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    ::metrics::with_local_recorder(&recorder, || {
        describe();
        // A recorder shows what was both described and registered.
        ::metrics::counter!("fluo_cells_read_total").increment(3);
        ::metrics::histogram!("fluo_lock_wait_seconds").record(0.5);
    });
    let shown = snapshotter.snapshot().into_vec();
    assert_eq!(shown.len(), 2);
    for (key, unit, description, _) in shown {
        let name = key.key().name();
        let metric = METRICS.iter().find(|metric| metric.name == name).unwrap();
        assert_eq!(description.as_deref(), Some(metric.description));
        let wanted = match metric.kind {
            MetricKind::Histogram => ::metrics::Unit::Seconds,
            _ => ::metrics::Unit::Count,
        };
        assert_eq!(unit, Some(wanted));
    }
}

#[test]
fn the_docs_show_the_list() {
    let page = include_str!("../../docs/operating.md");
    let table: String = METRICS.iter().map(line).collect();
    assert!(
        page.contains(&table),
        "docs/operating.md should have\n{table}"
    );
}

fn line(metric: &Metric) -> String {
    let kind = match metric.kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Histogram => "histogram",
        _ => panic!("a kind of its own"),
    };
    let label = metric.label.map_or_else(String::new, |(name, values)| {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        format!("`{name}`: {}", values.join(", "))
    });
    format!(
        "| `{}` | {kind} | {label} | {} |\n",
        metric.name, metric.description
    )
}
