//! The work of processes, from the metrics that they show to Prometheus.

use std::collections::BTreeMap;
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::time::Duration;

use fluo_table::{Error, Result, counted};
use futures::future::join_all;
use hyper::body::Body;
use hyper::header::HOST;
use hyper::{Request, StatusCode, Uri, client};
use hyper_util::rt::TokioIo;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::figures::{SourceFigures, WorkFigures};
use crate::prometheus;

const TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum number of bytes of the metrics of a process.
const MAX_BYTES: usize = 4 << 20;

const TRANSACTIONS: Counter = ("fluo_transactions_total", Some("committed"));
const CONFLICTS: Counter = ("fluo_transactions_total", Some("conflict"));
const RECOVERIES: Counter = ("fluo_transactions_recovered_total", None);
const NOTIFICATIONS: Counter = ("fluo_notifications_total", Some("committed"));
const COUNTERS: [Counter; 4] = [TRANSACTIONS, CONFLICTS, RECOVERIES, NOTIFICATIONS];

/// The name of a counter, and its outcome; `None` stands for the sum of all labels.
type Counter = (&'static str, Option<&'static str>);
type Counts = BTreeMap<Counter, f64>;

/// The place of the metrics of a process.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Http {
        host: String,
        port: u16,
        path: String,
    },
    /// This process.
    Own(PrometheusHandle),
}

impl Source {
    pub(super) fn own() -> Result<Self> {
        prometheus::install().map(Self::Own)
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let shown = text.escape_debug();
            Error::invalid(format!("`{shown}` is not an address of metrics; write HOST:PORT"))
        };
        let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url: Uri = url.parse().map_err(|_| wrong())?;
        let host = url.host().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        if url.scheme_str() != Some("http") {
            return Err(wrong());
        }
        let path = if url.path() == "/" { "/metrics" } else { url.path() };
        let port = url.port_u16().filter(|port| *port > 0).ok_or_else(wrong)?;
        let has_login = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
        if has_login || url.query().is_some() {
            return Err(wrong());
        }
        Ok(Self::Http { host: host.to_owned(), port, path: path.to_owned() })
    }

    /// Returns the address, which differs for different processes.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Http { host, port, path } if path == "/metrics" => format!("{host}:{port}"),
            Self::Http { host, port, path } => format!("{host}:{port}{path}"),
            Self::Own(_) => "this process".to_owned(),
        }
    }

    /// Returns the counts, and the time at which they were read.
    async fn read(&self) -> Result<(Instant, Counts)> {
        let text = self.text().await?;
        let (now, counts) = (Instant::now(), counts(&text));
        if !counts.contains_key(&TRANSACTIONS) {
            let message = "the answer has no `fluo_transactions_total`";
            return Err(Error::unavailable(message));
        }
        Ok((now, counts))
    }

    async fn text(&self) -> Result<String> {
        match self {
            Self::Own(handle) => Ok(handle.render()),
            Self::Http { host, port, path } => within(TIMEOUT, get(host, *port, path)).await,
        }
    }
}

/// Limits the time of a call.
pub(super) async fn within<T>(limit: Duration, call: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(limit, call).await.unwrap_or_else(|_| {
        Err(Error::unavailable(format!("no answer within {} s", limit.as_secs_f64())))
    })
}

async fn get(host: &str, port: u16, path: &str) -> Result<String> {
    let failed = |error: &dyn std::error::Error| Error::unavailable(error.to_string());
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((name, port)).await.map_err(|error| failed(&error))?;
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error))?;
    let request = Request::get(path).header(HOST, format!("{host}:{port}")).body(String::new());
    let request = request.map_err(|error| failed(&error))?;
    let answered = async {
        let response = sender.send_request(request).await.map_err(|error| failed(&error))?;
        if response.status() != StatusCode::OK {
            let status = response.status().as_u16();
            return Err(Error::unavailable(format!(
                "the answer at {path} has the status {status}"
            )));
        }
        let (mut body, mut bytes) = (response.into_body(), Vec::new());
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|error| failed(&error))?;
            bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            if bytes.len() > MAX_BYTES {
                return Err(Error::unavailable(format!(
                    "the answer at {path} is longer than {}",
                    counted(MAX_BYTES, "byte")
                )));
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    // If the connection ends early, the answer is an error.
    let driven = async {
        let _ = connection.await;
        pending().await
    };
    tokio::select! {
        answered = answered => answered,
        never = driven => never,
    }
}

/// Sums up the counters of a text in the format of Prometheus. Skips lines of another form.
fn counts(text: &str) -> Counts {
    let mut counts = Counts::new();
    for line in text.lines() {
        let (series, rest) = match line.rsplit_once('}') {
            Some((series, rest)) => (series, rest),
            None => line.split_once(' ').unwrap_or((line, "")),
        };
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        // A time may follow the value.
        let value = rest.split_ascii_whitespace().next().and_then(|value| value.parse().ok());
        let Some(value) = value.filter(|value: &f64| value.is_finite() && *value >= 0.0) else {
            continue;
        };
        let has = |outcome| {
            let wanted = format!("outcome=\"{outcome}\"");
            labels.split(',').any(|label| label.trim() == wanted)
        };
        for (counter, outcome) in COUNTERS {
            if name == counter && outcome.is_none_or(has) {
                *counts.entry((counter, outcome)).or_default() += value;
            }
        }
    }
    counts
}

/// Reads counters, and divides their increase by the time between two readings.
#[derive(Debug)]
pub(super) struct Work {
    sources: Vec<(Source, Option<(Instant, Counts)>)>,
}

impl Work {
    pub(super) fn new(sources: Vec<Source>) -> Self {
        Self { sources: sources.into_iter().map(|source| (source, None)).collect() }
    }

    pub(super) async fn read(&mut self) -> Option<WorkFigures> {
        if self.sources.is_empty() {
            return None;
        }
        let read = join_all(self.sources.iter().map(|(source, _)| source.read())).await;
        let mut rates = BTreeMap::<Counter, f64>::new();
        let mut work = WorkFigures::default();
        for ((source, before), now) in self.sources.iter_mut().zip(read) {
            let mut found = SourceFigures { name: source.name(), ..SourceFigures::default() };
            match now {
                Ok(now) => {
                    let own = before.as_ref().map(|before| per_second(before, &now));
                    found.transactions =
                        own.as_ref().and_then(|own| own.get(&TRANSACTIONS).copied());
                    for (counter, rate) in own.into_iter().flatten() {
                        *rates.entry(counter).or_default() += rate;
                    }
                    *before = Some(now);
                }
                Err(error) => {
                    *before = None;
                    found.error = Some(error.to_string());
                }
            }
            work.sources.push(found);
        }
        let rate = |counter| rates.get(&counter).copied();
        work.transactions = rate(TRANSACTIONS);
        work.conflicts = rate(CONFLICTS);
        work.recoveries = rate(RECOVERIES);
        work.notifications = rate(NOTIFICATIONS);
        Some(work)
    }
}

/// Returns the increase of each counter in a second. A process that was restarted counts from 0.
fn per_second(before: &(Instant, Counts), now: &(Instant, Counts)) -> BTreeMap<Counter, f64> {
    let seconds = (now.0 - before.0).as_secs_f64().max(f64::MIN_POSITIVE);
    let rate = |counter| {
        let [before, now] = [&before.1, &now.1].map(|counts| counts.get(&counter).copied());
        let (before, now) = (before.unwrap_or_default(), now.unwrap_or_default());
        let increase = if now < before { now } else { now - before };
        (counter, increase / seconds)
    };
    COUNTERS.into_iter().map(rate).collect()
}
