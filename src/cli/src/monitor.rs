//! `fluo monitor`, and what it reads.

use std::error::Error as _;
use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fluo_process::monitor::{self, MonitorOptions, MonitorPort, MonitoredTable};
use fluo_table::{Error, ErrorKind};
use serde_json::json;

use crate::exit::{self, Outcome};
use crate::output;
use crate::spec;
use crate::target::InstanceArguments;
use crate::text::parse_duration;

const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9465);
/// The shortest interval: a reading is not free for the servers.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The advice if another process has the directory open.
const HOLDER_ADVICE: &str =
    "`fluo monitor` shows these figures on its page, and a worker at its FLUO_HTTP address";

/// Tables, applications and processes that a monitor reads.
#[derive(Args, Debug)]
pub(crate) struct WatchedArguments {
    #[command(flatten)]
    target: InstanceArguments,
    /// Applications to read [default: all]
    #[arg(value_name = "APPLICATION")]
    applications: Vec<String>,
    /// Read another table too, and compare it with a spec; repeat it for each
    #[arg(long = "table", value_name = "NAME[=SPEC.toml]")]
    tables: Vec<String>,
    /// Read the metrics of a worker or loader at its FLUO_HTTP address; repeat it for each
    #[arg(long, value_name = "HOST:PORT")]
    metrics: Vec<String>,
    /// The pause between two readings, from 1s on
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_duration)]
    pub(crate) interval: Duration,
}

impl WatchedArguments {
    pub(crate) async fn open(&self) -> Result<monitor::Monitor> {
        ensure!(self.interval >= MIN_INTERVAL, misuse!("the interval is shorter than 1s"));
        let tables =
            self.tables.iter().map(|table| monitored(table)).collect::<Result<Vec<_>>>()?;
        let options = MonitorOptions::new(self.target.written())
            .applications(self.applications.iter().cloned())
            .tables(tables)
            .needs_oracle(!self.target.is_directory())
            .metrics(self.metrics.iter().map(String::as_str))?;
        let opened = self.target.open().await.map_err(|error| {
            // Other errors of this kind have a cause.
            let is_lock =
                |error: &Error| error.kind() == ErrorKind::Unavailable && error.source().is_none();
            match self.target.is_directory() && error.downcast_ref().is_some_and(is_lock) {
                true => exit::advised(error, HOLDER_ADVICE),
                false => error,
            }
        });
        Ok(monitor::Monitor::new(opened?, options))
    }
}

/// Parses the name of a table, which the file of a spec may follow.
fn monitored(text: &str) -> Result<MonitoredTable> {
    let Some((name, file)) = text.split_once('=') else { return Ok(MonitoredTable::new(text)) };
    let (optimizations, expected) = spec::read(&PathBuf::from(file))
        .with_context(|| format!("cannot compare table `{name}`"))?;
    Ok(MonitoredTable::new(name).wanted(optimizations, expected.verify_options()))
}

/// Serve a page that shows live what an operator watches, until Ctrl-C.
///
/// The page has an hour of history: notifications that wait and their age, transactions, conflicts
/// and recoveries per second (of the processes that --metrics names), the oldest active timestamp,
/// oracles, workers with their parts, queues, dead letters, tablets and entries per server and per
/// group, the fullest tablet against the mean, and differences from the recipes. /metrics has the
/// same figures for Prometheus. It changes no data and no settings. The port has no login: it is
/// open on this machine alone, unless --listen says otherwise.
///
/// Only one process can open an embedded directory. A worker shows this page for its own directory,
/// at its FLUO_HTTP address.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo monitor --at prod --metrics worker-1:9464 --metrics worker-2:9464
  fluo monitor --at embedded:./data --table pages=pages.toml")]
pub(crate) struct Monitor {
    #[command(flatten)]
    watched: WatchedArguments,
    /// Address of the page
    #[arg(long, value_name = "IP:PORT", default_value_t = DEFAULT_ADDRESS)]
    listen: SocketAddr,
}

impl Monitor {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let monitor = self.watched.open().await?;
        let port = MonitorPort::open(self.listen, monitor, self.watched.interval).await?;
        let url = format!("http://{}", port.address());
        output::emit_either(&url, &json!({ "url": url }))?;
        pending().await
    }
}
