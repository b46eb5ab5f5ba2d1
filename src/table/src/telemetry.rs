//! The description of metrics.
//!
//! Metrics go to the recorder that the process has installed for the crate [`metrics`]; without a
//! recorder they cost next to nothing. Each crate lists its own in a constant `METRICS`.

use metrics::Unit;

/// A metric of a crate of this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Metric {
    /// The name; starts with `fluo_`.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: MetricKind,
    /// Its labels, each with the values that it can have. An empty list stands for any values.
    pub labels: &'static [(&'static str, &'static [&'static str])],
    /// The description for the recorder.
    pub description: &'static str,
}

/// The kind of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricKind {
    /// A value that only grows.
    Counter,
    /// A value that grows and shrinks.
    Gauge,
    /// A distribution of values; in seconds if the name ends with `_seconds`.
    Histogram,
}

impl Metric {
    /// Declares a counter.
    pub const fn counter(name: &'static str, description: &'static str) -> Self {
        Self { name, kind: MetricKind::Counter, labels: &[], description }
    }

    /// Declares a gauge.
    pub const fn gauge(name: &'static str, description: &'static str) -> Self {
        Self { kind: MetricKind::Gauge, ..Self::counter(name, description) }
    }

    /// Declares a histogram.
    pub const fn histogram(name: &'static str, description: &'static str) -> Self {
        Self { kind: MetricKind::Histogram, ..Self::counter(name, description) }
    }

    /// Declares the labels, each with its values; an empty list stands for any values.
    pub const fn labels(self, labels: &'static [(&'static str, &'static [&'static str])]) -> Self {
        Self { labels, ..self }
    }

    /// Passes the unit and the description to the recorder of the process.
    pub fn describe(&self) {
        let unit = if self.name.ends_with("_seconds") { Unit::Seconds } else { Unit::Count };
        match self.kind {
            MetricKind::Counter => metrics::describe_counter!(self.name, unit, self.description),
            MetricKind::Gauge => metrics::describe_gauge!(self.name, unit, self.description),
            MetricKind::Histogram => {
                metrics::describe_histogram!(self.name, unit, self.description);
            }
        }
    }
}
