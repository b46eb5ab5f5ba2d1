//! The options of a process.

use std::net::SocketAddr;
use std::time::Duration;

use fluo_table::{Error, Result, check_option};

use crate::environment::text;
use crate::profile::Profile;

/// A process that is not started yet: options first, then [`start`](Self::start).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use fluo_process::ProcessOptions;
///
/// # fn main() -> fluo_table::Result<()> {
/// let options = ProcessOptions::at("proxy:localhost:42424")?
///     .http(([127, 0, 0, 1], 9464))
///     .max_drain(Duration::from_secs(20));
/// # drop(options);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a process runs after `start`"]
pub struct ProcessOptions {
    pub(crate) profile: Profile,
    pub(crate) http: Option<SocketAddr>,
    pub(crate) max_drain: Duration,
    pub(crate) oracle: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) oracle_port: u16,
}

impl ProcessOptions {
    /// Creates the options [at](Self::at) the target or the profile that `FLUO_AT` names.
    /// `FLUO_HTTP` is the [address for supervisors](Self::http), `FLUO_HOST` the [name of this
    /// machine](Self::host), and `FLUO_ORACLE_PORT` the [port of an oracle](Self::oracle_port).
    ///
    /// # Errors
    ///
    /// Those of [`at`](Self::at); [`Invalid`](fluo_table::ErrorKind::Invalid) without `FLUO_AT`, or
    /// if `FLUO_HTTP` is not an address, or `FLUO_ORACLE_PORT` not a port.
    pub fn from_env() -> Result<Self> {
        let at = text("FLUO_AT")?.ok_or_else(|| {
            Error::invalid("set FLUO_AT to embedded:DIR, proxy:HOST:PORT or the name of a profile")
        })?;
        let http = text("FLUO_HTTP")?.map(|text| {
            text.parse().map_err(|_| {
                Error::invalid("FLUO_HTTP is not IP:PORT; write it as in 127.0.0.1:9464")
            })
        });
        let port = text("FLUO_ORACLE_PORT")?.map(|text| {
            text.parse()
                .map_err(|_| Error::invalid("FLUO_ORACLE_PORT is not a port from 0 to 65535"))
        });
        let (http, host) = (http.transpose()?, text("FLUO_HOST")?);
        let oracle_port = port.transpose()?.unwrap_or_default();
        Ok(Self { http, host, oracle_port, ..Self::at(&at)? })
    }

    /// Creates the options for a target or the name of a [profile](Profile::parse), with the [login
    /// of the environment](crate::Login::from_env).
    ///
    /// # Errors
    ///
    /// Those of [`Profile::parse`], [`Login::from_env`](crate::Login::from_env) and
    /// [`Login::with_properties`](crate::Login::with_properties).
    pub fn at(target: &str) -> Result<Self> {
        Ok(Self::new(Profile::parse(target)?.with_env()?))
    }

    /// Creates the options for a profile, without the environment.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            http: None,
            max_drain: Duration::from_secs(30),
            oracle: None,
            host: None,
            oracle_port: 0,
        }
    }

    /// Sets the address at which the process answers supervisors over HTTP. Without it no port is
    /// opened. With port 0 the system chooses one.
    ///
    /// | path | answer |
    /// |---|---|
    /// | `/live` | 200 while the process can answer |
    /// | `/ready` | 200 while loaders run, or the worker [has its share](fluo_engine::WorkerMonitor::check); otherwise 503 and the reason. An [oracle](Self::oracle) beside them must lead or stand by |
    /// | `/metrics` | all metrics, as text for Prometheus |
    /// | `/`, `/figures`, `/history` | the [monitor](crate::monitor) of a directory, once a worker runs; `/metrics` then has its gauges too |
    ///
    /// On a directory the backlog of each queue is read every 10 seconds. On Accumulo one of the
    /// worker processes of an application that have such an address also reads the
    /// backlog of each queue once a minute, at most 10,000 entries, for the
    /// [gauges](fluo_recipes::telemetry::METRICS).
    ///
    /// The port has no encryption and no login: keep it on a private network.
    pub fn http(self, address: impl Into<SocketAddr>) -> Self {
        Self { http: Some(address.into()), ..self }
    }

    /// Sets the maximum time for work in progress after a signal; at most 1 hour. Default: 30 s.
    ///
    /// After this time, or after a second signal, the process abandons the rest: others roll back
    /// its locks, and its notifications stay in the table. If the program does not end within a
    /// further second, because an observer blocks its thread, the process exits with the code that
    /// shells use for the signal.
    pub fn max_drain(self, max_drain: Duration) -> Self {
        Self { max_drain, ..self }
    }

    /// Runs the timestamp oracle of an application too. It has no effect on a directory, which
    /// needs none.
    pub fn oracle(self, application: impl Into<String>) -> Self {
        Self { oracle: Some(application.into()), ..self }
    }

    /// Sets the name under which clients reach this machine, for the [oracle](Self::oracle).
    /// Default: the name of the machine.
    pub fn host(self, host: impl Into<String>) -> Self {
        Self { host: Some(host.into()), ..self }
    }

    /// Sets the port of the [oracle](Self::oracle), for a firewall. Default: 0, a free port.
    pub fn oracle_port(self, port: u16) -> Self {
        Self { oracle_port: port, ..self }
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_option("max_drain", self.max_drain, ..=Duration::from_secs(3_600))
    }
}
