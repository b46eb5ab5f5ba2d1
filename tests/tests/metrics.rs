//! Every recorded metric is listed, every listed metric is recorded, and the docs show the list.

#![cfg(test)]

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use fluo_engine::Client;
use fluo_engine::telemetry::{Metric, MetricKind, describe};
use fluo_simulation::Simulation;
use fluo_table::{Column, Error, ErrorKind, Table, Timestamp};
use fluo_tests::{Call, Fixture, Intercepted};
use metrics_util::CompositeKey;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

/// Seeds whose runs record every metric but those that are rare.
const SEEDS: u64 = 60;

/// Metrics that the runs may not record, each with the reason. Each one has its own test.
const RARE: [(&str, &str); 9] = [
    (
        "fluo_garbage_collections_total",
        "the actors of a run collect garbage themselves, and not on a worker's schedule",
    ),
    (
        "fluo_loads_failed_total",
        "the actors of a run begin their transactions themselves, and not through `Loaders`",
    ),
    ("fluo_queue_dead_letters_total", "the entries of a run can be processed"),
    (
        "fluo_queue_late_exports_total",
        "the receiver of a run compares sequences itself, and is no `TableSink`",
    ),
    ("fluo_queue_oldest_entry_age_seconds", "no actor of a run reads the backlog of a queue"),
    ("fluo_queue_oldest_entry_timestamp", "no actor of a run reads the backlog of a queue"),
    ("fluo_queue_waiting_bytes", "no actor of a run reads the backlog of a queue"),
    ("fluo_queue_waiting_entries", "no actor of a run reads the backlog of a queue"),
    ("fluo_unfinished_commits_total", "a client rarely fails in the last step of a commit only"),
];

/// A name with the value of its label, if it has one.
type Recorded = (String, Option<String>);

/// Returns the metrics of the engine and of the queues.
fn listed() -> impl Iterator<Item = &'static Metric> {
    fluo_engine::telemetry::METRICS.iter().chain(fluo_recipes::telemetry::METRICS)
}

/// Returns the metrics that some runs record. Those with any values of their label have none here.
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
        let label = label.filter(|label| label.key() != "queue");
        let label = label.map(|label| label.value().to_owned());
        (key.key().name().to_owned(), label)
    };
    all.into_iter().map(one).collect()
}

#[test]
fn the_list_contains_exactly_the_recorded_metrics() {
    let recorded = recorded();
    let listed: BTreeSet<Recorded> = listed().flat_map(with_labels).collect();
    let unlisted: Vec<_> = recorded.difference(&listed).collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let is_rare = |name: &str| RARE.iter().any(|(rare, _)| *rare == name);
    let silent = listed.difference(&recorded);
    let silent: Vec<_> = silent.filter(|(name, _)| !is_rare(name)).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// Covers alerts and graphs on a metric that nothing records.
#[test]
fn the_guide_names_existing_metrics() {
    let page = include_str!("../../docs/operate-application.md");
    let oracle = fluo_accumulo::telemetry::METRICS;
    let listed: BTreeSet<_> = listed().chain(oracle).map(|metric| metric.name).collect();
    let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = page.split(|c| !is_of_name(c));
    let named: Vec<_> = words.filter(|word| word.starts_with("fluo_")).collect();
    assert!(named.len() > 10, "{named:?}");
    // Names of crates in messages.
    let is_crate = |name: &str| ["fluo_process", "fluo_accumulo"].contains(&name);
    for name in named.into_iter().filter(|name| !is_crate(name)) {
        // A histogram has one series for each part.
        let metric = ["_bucket", "_count", "_sum"].iter().find_map(|end| name.strip_suffix(end));
        assert!(listed.contains(metric.unwrap_or(name)), "{name}");
    }
}

/// Returns the value that some work records for one metric, and the result of the work.
fn counted<T>(metric: &str, work: impl Future<Output = T>) -> (DebugValue, T) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    // One thread, so that the recorder receives everything. The paused clock skips pauses.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let done = ::metrics::with_local_recorder(&recorder, || runtime.block_on(work));
    let all = snapshotter.snapshot().into_vec();
    let found = all.into_iter().find(|(key, _, _, _)| key.key().name() == metric);
    let (_, _, _, value) = found.unwrap_or_else(|| panic!("{metric} was not recorded"));
    (value, done)
}

/// Opens two clients of one application: one on a wrapped table, and one on the table itself.
async fn clients(wrap: impl FnOnce(Arc<dyn Table>) -> Arc<dyn Table>) -> [Client; 2] {
    let fixture = Fixture::in_memory().await;
    let wrapped = fixture.client_on(wrap(fixture.table.clone())).await;
    [wrapped, fixture.client().await]
}

fn column() -> Column {
    Column::new("page", "text")
}

#[test]
fn counts_a_load_that_fails_permanently() {
    let (value, finished) = counted("fluo_loads_failed_total", async {
        let [client, _] = clients(|table| table).await;
        let loaders = client.loaders().start().unwrap();
        for row in ["a.org", "", "b.org"] {
            // A load after the failure may return its error.
            let load = loaders.load(row, async |tx, row| tx.set(row, &column(), "text"));
            drop(load.await);
        }
        loaders.finish().await
    });
    assert_eq!(value, DebugValue::Counter(1));
    assert_eq!(finished.unwrap_err().kind(), ErrorKind::Invalid);
}

/// Returns a table that accepts only conditional writes, so that the steps after the commit point
/// fail.
fn conditional_only(table: Arc<dyn Table>) -> Arc<dyn Table> {
    let refuse = |call: &Call| {
        let error = Error::new(ErrorKind::Storage, "only conditional writes are accepted");
        ready(match call {
            Call::Write(_) => Err(error),
            _ => Ok(None),
        })
    };
    Arc::new(Intercepted::with_hooks(table, refuse).row_by_row())
}

/// The transaction is committed, and a transaction that meets its locks sees its writes.
#[test]
fn counts_an_unfinished_commit() {
    let (value, committed) = counted("fluo_unfinished_commits_total", async {
        let [client, other] = clients(conditional_only).await;
        let tx = client.begin().await.unwrap();
        for row in ["a.org", "b.org"] {
            tx.set(row, &column(), "text").unwrap();
        }
        let committed = tx.commit().await.unwrap();
        let seen = other.snapshot().await.unwrap();
        let text = seen.get("b.org", &column()).await.unwrap();
        assert_eq!(text.as_deref(), Some(&b"text"[..]));
        committed
    });
    assert_eq!(value, DebugValue::Counter(1));
    assert!(committed.commit.is_some());
}

/// Shows the oldest open snapshot as long as one is open, and zero afterwards.
#[test]
fn the_gauges_show_the_horizon_and_what_holds_it_back() {
    let moved = async |drops: bool| {
        let [client, _] = clients(|table| table).await;
        let held = client.snapshot().await.unwrap();
        let start = held.start();
        client.run(async |tx| tx.set("a.org", &column(), "text")).await.unwrap();
        if drops {
            drop(held);
        }
        (start, client.advance_horizon().await.unwrap())
    };
    let gauge = |timestamp: Timestamp| {
        let number = u32::try_from(timestamp.get()).unwrap();
        DebugValue::Gauge(f64::from(number).into())
    };
    for drops in [false, true] {
        let (oldest, (start, _)) = counted("fluo_oldest_active_timestamp", moved(drops));
        let wanted = if drops { Timestamp::ZERO } else { start };
        assert_eq!(oldest, gauge(wanted));
        let (shown, (start, horizon)) = counted("fluo_horizon_timestamp", moved(drops));
        assert_eq!(shown, gauge(horizon));
        assert_eq!(horizon > start, drops, "{horizon} after {start}");
    }
}

/// Returns the names and label values under which a metric is recorded.
fn with_labels(metric: &Metric) -> Vec<Recorded> {
    let name = metric.name.to_owned();
    match metric.labels {
        [(_, values)] if !values.is_empty() => {
            let recorded = |value: &&str| (name.clone(), Some((*value).to_owned()));
            values.iter().map(recorded).collect()
        }
        _ => vec![(name, None)],
    }
}

#[test]
fn describes_the_metrics_to_the_recorder() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    ::metrics::with_local_recorder(&recorder, || {
        describe();
        fluo_recipes::telemetry::describe();
        // A recorder shows what was both described and registered.
        ::metrics::counter!("fluo_cells_read_total").increment(3);
        ::metrics::histogram!("fluo_lock_wait_seconds").record(0.5);
        ::metrics::gauge!("fluo_queue_waiting_entries").set(1.0);
    });
    let shown = snapshotter.snapshot().into_vec();
    assert_eq!(shown.len(), 3);
    for (key, unit, description, _) in shown {
        let name = key.key().name();
        let metric = listed().find(|metric| metric.name == name).unwrap();
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
    for metrics in [
        fluo_engine::telemetry::METRICS,
        fluo_recipes::telemetry::METRICS,
        fluo_accumulo::telemetry::METRICS,
    ] {
        let table: String = metrics.iter().map(line).collect();
        assert!(page.contains(&table), "docs/operating.md should have\n{table}");
    }
}

fn line(metric: &Metric) -> String {
    let kind = match metric.kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Histogram => "histogram",
        _ => panic!("an unknown kind"),
    };
    let labels = metric.labels.iter().map(|(name, values)| {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        match values.is_empty() {
            true => format!("`{name}`"),
            false => format!("`{name}`: {}", values.join(", ")),
        }
    });
    let labels = labels.collect::<Vec<_>>().join("; ");
    format!("| `{}` | {kind} | {labels} | {} |\n", metric.name, metric.description)
}
