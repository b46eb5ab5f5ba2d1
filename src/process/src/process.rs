//! The process: [`Process`].

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_engine::{ApplicationHandle, InstanceExt, LoaderOptions, Loaders, WorkerOptions};
use fluo_table::{Error, Instance, Result};
use tracing::info;

use crate::health::{Health, State, SupervisorPort};
use crate::http::HttpServer;
use crate::log;
use crate::monitor::{Board, Monitor, MonitorOptions};
use crate::options::ProcessOptions;
use crate::profile::Target;
use crate::queue_gauges;
use crate::stop::{Cause, Stop, Stopper};

/// The pause between two readings of the monitor.
const MONITOR_PAUSE: Duration = Duration::from_secs(10);

/// A process that runs a worker or loaders until a signal ends it.
///
/// # Examples
///
/// ```no_run
/// use fluo_engine::Column;
/// use fluo_process::Process;
///
/// const TEXT: Column = Column::from_static("page", "text");
/// const LENGTH: Column = Column::from_static("page", "length");
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let process = Process::start().await?;
/// let web = process.application("web").observe(&TEXT, "measure", async |tx, page| {
///     let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
///     tx.set(page, &LENGTH, length.to_string())
/// });
/// let client = web.open_or_create().await?;
/// process.run_worker(client.worker().tasks(4)).await
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a process works after `run_worker` or `run_loaders`"]
pub struct Process {
    instance: Instance,
    health: Arc<Health>,
    http: Option<HttpServer>,
    oracle: Option<OracleOptions>,
    stop: Stop,
    /// The location of a directory, and the page of its monitor.
    monitored: Option<(String, Arc<OnceLock<Board>>)>,
}

impl ProcessOptions {
    /// Starts the log and the port for supervisors, and opens the tables and the applications. A
    /// signal no longer ends the program by itself, even after [`Process::run_worker`] or
    /// [`Process::run_loaders`] returned.
    ///
    /// The log goes to standard error, with the levels in `FLUO_LOG` (`info` unless given; `warn`,
    /// or `info,fluo_accumulo=debug`), unless the program has a subscriber of `tracing` already.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a wrong option or variable;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the port is taken or a signal comes;
    /// the errors of [`Profile::open`](crate::Profile::open).
    pub async fn start(self) -> Result<Process> {
        self.check()?;
        log::start()?;
        let mut stop = Stop::listen(self.max_drain)?;
        let health = Arc::new(Health::starting());
        let board = Arc::new(OnceLock::new());
        let http = match self.http {
            Some(address) => {
                Some(SupervisorPort::open(address, health.clone(), board.clone()).await?)
            }
            None => None,
        };
        let opening = async {
            let oracle = match (&self.profile.target, &self.oracle) {
                (Target::Proxy(_), Some(application)) => {
                    let zookeeper = self.profile.login.zookeeper().await?;
                    let options = OracleOptions::new(zookeeper, application)?;
                    let options = options.port(self.oracle_port);
                    Some(self.host.into_iter().fold(options, OracleOptions::host))
                }
                _ => None,
            };
            let address = http.as_ref().map(HttpServer::address);
            Ok::<_, Error>((oracle, self.profile.open_for(address).await?))
        };
        let (oracle, instance) = tokio::select! {
            opened = opening => opened?,
            _ = stop.next() => {
                return Err(Error::unavailable("a signal came before the process had started"));
            }
        };
        info!("opened {}", self.profile.target);
        // No other process can look into a directory while this one has it open.
        let is_directory = matches!(self.profile.target, Target::Embedded(_));
        let at = is_directory.then(|| self.profile.to_string());
        let monitored = http.is_some().then_some(at).flatten().map(|at| (at, board));
        Ok(Process { instance, health, http, oracle, stop, monitored })
    }
}

impl Process {
    /// Starts a process with the [options of the environment](ProcessOptions::from_env).
    ///
    /// # Errors
    ///
    /// Those of [`ProcessOptions::from_env`] and [`ProcessOptions::start`].
    pub async fn start() -> Result<Self> {
        ProcessOptions::from_env()?.start().await
    }

    /// Returns the tables and the applications.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Returns the handle of the application with this name, whether it exists or not.
    pub fn application(&self, name: impl Into<String>) -> ApplicationHandle {
        self.instance.application(name)
    }

    /// Returns the address of the port for supervisors, if there is one.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http.as_ref().map(HttpServer::address)
    }

    /// Returns a handle that stops this process.
    pub fn stopper(&self) -> Stopper {
        self.stop.stopper()
    }

    /// Runs a worker until Ctrl-C, SIGTERM or SIGHUP. Then running observers finish within
    /// [`max_drain`](ProcessOptions::max_drain), and all other notifications stay in the table.
    ///
    /// # Errors
    ///
    /// Those of [`WorkerOptions::start`]; the reason why the [oracle](ProcessOptions::oracle) or a
    /// task of the worker has ended.
    pub async fn run_worker(self, worker: WorkerOptions) -> Result<()> {
        let Self { instance, health, http, oracle, mut stop, monitored } = self;
        let client = worker.client().clone();
        let gauges = async {
            match &http {
                Some(_) => queue_gauges::maintain(&client).await,
                None => pending().await,
            }
        };
        let watching = async {
            let Some((at, page)) = monitored else { return pending().await };
            let options = MonitorOptions::new(at).own_metrics()?;
            let board = page.get_or_init(|| Board::new(MONITOR_PAUSE));
            Ok(board.run(Monitor::new(instance.clone(), options)).await)
        };
        let starting = async { Ok::<_, Error>((start(oracle).await?, worker.start().await?)) };
        let (mut oracle, mut worker) = tokio::select! {
            started = starting => started?,
            _ = stop.next() => return Ok(()),
        };
        health.set(State::Working(worker.monitor(), oracle.as_ref().map(Oracle::monitor)));
        info!("the worker has started");
        let (cause, ended) = tokio::select! {
            cause = stop.next() => (cause, Ok(())),
            error = worker.wait_for_failure() => (Cause::Failure, Err(error)),
            error = end_of(&mut oracle) => (Cause::Failure, Err(error)),
            never = gauges => match never {},
            failed = watching => (Cause::Failure, failed.map(|never: Infallible| match never {})),
        };
        health.set(State::Stopping);
        let draining = async {
            worker.stop().await;
            stop_oracle(oracle).await;
        };
        stop.drain(draining, cause).await;
        ended
    }

    /// Runs loaders until `load` has passed all its input to them and every body has committed.
    ///
    /// A signal ends `load` at its next `await`. The bodies that it has passed to the loaders
    /// commit within [`max_drain`](ProcessOptions::max_drain). All other input is not loaded, so
    /// the next run should load it again.
    ///
    /// # Errors
    ///
    /// The error of `load`, or the first one of the bodies;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if a signal came before the end, so that
    /// a supervisor does not count a part as the whole; the reason why the
    /// [oracle](ProcessOptions::oracle) has ended.
    pub async fn run_loaders<E: From<Error>>(
        self,
        loaders: LoaderOptions,
        load: impl AsyncFnOnce(&Loaders) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { instance: _instance, health, http: _http, oracle, mut stop, .. } = self;
        let stopped = || Error::unavailable("a signal came before all input was loaded");
        let mut oracle = tokio::select! {
            started = start(oracle) => started?,
            _ = stop.next() => return Err(stopped().into()),
        };
        let loaders = loaders.start()?;
        health.set(State::Loading(oracle.as_ref().map(Oracle::monitor)));
        info!("the loaders have started");
        let mut cause = Cause::End;
        let mut loaded = tokio::select! {
            loaded = load(&loaders) => loaded,
            signal = stop.next() => {
                cause = signal;
                Err(stopped().into())
            }
            error = end_of(&mut oracle) => Err(error.into()),
        };
        let mut finishing = pin!(loaders.finish());
        let mut finished = None;
        if loaded.is_ok() {
            tokio::select! {
                result = &mut finishing => finished = Some(result),
                signal = stop.next() => cause = signal,
                error = end_of(&mut oracle) => loaded = Err(error.into()),
            }
        }
        if loaded.is_err() && matches!(cause, Cause::End) {
            cause = Cause::Failure;
        }
        health.set(State::Stopping);
        let draining = async {
            let finished = match finished {
                Some(finished) => finished,
                None => finishing.await,
            };
            stop_oracle(oracle).await;
            finished
        };
        let finished = stop.drain(draining, cause).await;
        loaded.and_then(|()| Ok(finished.unwrap_or_else(|| Err(stopped()))?))
    }
}

async fn start(oracle: Option<OracleOptions>) -> Result<Option<Oracle>> {
    match oracle {
        Some(options) => Oracle::start(options).await.map(Some),
        None => Ok(None),
    }
}

/// Waits until an oracle ends by itself, and returns the reason. Logs the changes of its lead.
async fn end_of(oracle: &mut Option<Oracle>) -> Error {
    let Some(oracle) = oracle else { return pending().await };
    loop {
        match oracle.wait_for_change().await {
            Ok(Some(address)) => info!("the oracle leads at {address}"),
            Ok(None) => info!("the oracle does not lead any more"),
            Err(error) => return error,
        }
    }
}

async fn stop_oracle(oracle: Option<Oracle>) {
    if let Some(oracle) = oracle {
        oracle.stop().await;
    }
}

#[cfg(test)]
mod tests {
    use fluo_zookeeper::ZooKeeper;
    use tokio::time::sleep;
    use zookeeper_client::{Acls, Client, CreateMode};

    use super::*;

    /// Waits until a process is not ready because of its oracle. It must not be ready before.
    async fn wait_for_oracle_error(health: &Health) {
        while health.check_ready().unwrap_err().to_string()
            != "the parent of the election nodes was deleted"
        {
            sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_process_is_not_ready_while_its_oracle_is_no_candidate() {
        let zookeeper = ZooKeeper::new();
        let link = zookeeper.link();
        let client = Client::connect(&link.address()).await.unwrap();
        let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
        client.mkdir("/fluo/web/config", &persistent).await.unwrap();
        let id = client.create("/fluo/web/config/fluo.application.id", b"1", &persistent);
        id.await.unwrap();
        let instance = Instance::in_memory();
        let web = instance.application("web").open_or_create().await.unwrap();
        let process = || {
            let oracle = OracleOptions::new(format!("{}/fluo", link.address()), "web").unwrap();
            Process {
                instance: instance.clone(),
                health: Arc::new(Health::starting()),
                http: None,
                oracle: Some(oracle.host("localhost")),
                stop: Stop::listen(Duration::from_secs(30)).unwrap(),
                monitored: None,
            }
        };
        let worker = process();
        let (health, stopper) = (worker.health.clone(), worker.stopper());
        let running = tokio::spawn(worker.run_worker(web.worker()));
        wait_for_oracle_error(&health).await;
        stopper.stop();
        running.await.unwrap().unwrap();
        let loading = process();
        let health = loading.health.clone();
        let load = async |_: &Loaders| {
            wait_for_oracle_error(&health).await;
            Ok::<_, Error>(())
        };
        loading.run_loaders(web.loaders(), load).await.unwrap();
    }
}
