//! The recorder of metrics whose values Prometheus reads.

use std::sync::{Mutex, PoisonError};

use fluo_table::telemetry::{Metric, MetricKind};
use fluo_table::{Error, ErrorKind, Result};
use metrics::Label;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the buckets of times, in seconds.
const SECONDS: [f64; 13] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// Upper bounds of the buckets of counts.
const COUNTS: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0, 2_048.0, 8_192.0];

static HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);

/// Installs the recorder of this program, or returns the one of an earlier process in it.
///
/// # Errors
///
/// [`Invalid`](ErrorKind::Invalid) if the program has installed another recorder.
pub(crate) fn install() -> Result<PrometheusHandle> {
    let mut installed = HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        let message = "this program has a recorder of metrics already: leave the HTTP address out";
        Error::with_source(ErrorKind::Invalid, message, error)
    };
    let times = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets(&COUNTS);
    let builder = builder.and_then(|builder| builder.set_buckets_for_metric(times, &SECONDS));
    let recorder = builder.map_err(|error| failed(error.into()))?.build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|_| failed("it was installed before".into()))?;
    fluo_engine::telemetry::describe();
    fluo_accumulo::telemetry::describe();
    fluo_recipes::telemetry::describe();
    fluo_engine::telemetry::METRICS.iter().for_each(start_at_zero);
    fluo_accumulo::telemetry::METRICS.iter().for_each(start_at_zero);
    Ok(installed.insert(handle).clone())
}

/// Adds a counter before its first count, so that its increase includes the first one.
fn start_at_zero(metric: &Metric) {
    if metric.kind != MetricKind::Counter {
        return;
    }
    let mut all = vec![Vec::new()];
    for (label, values) in metric.labels {
        let with_each = |labels: Vec<Label>| {
            let with =
                move |value| [&labels[..], &[Label::from_static_parts(label, value)]].concat();
            values.iter().copied().map(with)
        };
        all = all.into_iter().flat_map(with_each).collect();
    }
    for labels in all {
        metrics::counter!(metric.name, labels).increment(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_start_with_all_values_of_their_labels() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let counter = Metric::counter("fluo_a", "a").labels(&[("b", &["c", "d"]), ("e", &["f"])]);
        metrics::with_local_recorder(&recorder, || start_at_zero(&counter));
        let text = recorder.handle().render();
        for line in ["fluo_a{b=\"c\",e=\"f\"} 0\n", "fluo_a{b=\"d\",e=\"f\"} 0\n"] {
            assert!(text.contains(line), "{text}");
        }
    }
}
