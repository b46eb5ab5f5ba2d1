//! The port for supervisors, and the state of a process, as they ask for it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fluo_accumulo::OracleMonitor;
use fluo_engine::WorkerMonitor;
use fluo_table::{Error, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::task::AbortHandle;
use tokio::time::interval;

use crate::http::{Answer, HttpServer, Site, Visit};
use crate::monitor::{Board, monitor_answer};
use crate::prometheus;

/// The period after which the samples of the metrics are summed up, to bound their memory.
const UPKEEP: Duration = Duration::from_secs(5);

/// The work that a process does at present. A worker or loaders may have an oracle beside them.
#[derive(Debug)]
pub(crate) enum State {
    Starting,
    Working(WorkerMonitor, Option<OracleMonitor>),
    Electing(OracleMonitor),
    Loading(Option<OracleMonitor>),
    Stopping,
}

#[derive(Debug)]
pub(crate) struct Health(Mutex<State>);

/// The port for supervisors of a process, which may have a monitor.
pub(crate) struct SupervisorPort {
    health: Arc<Health>,
    metrics: PrometheusHandle,
    monitor: Arc<OnceLock<Board>>,
    upkeep: AbortHandle,
}

impl SupervisorPort {
    /// Opens the port. The page of the monitor is at `/` once `monitor` is set.
    pub(crate) async fn open(
        address: SocketAddr,
        health: Arc<Health>,
        monitor: Arc<OnceLock<Board>>,
    ) -> Result<HttpServer> {
        let metrics = prometheus::install()?;
        let kept = metrics.clone();
        let keep_up = async move {
            let mut period = interval(UPKEEP);
            loop {
                period.tick().await;
                kept.run_upkeep();
            }
        };
        let upkeep = tokio::spawn(keep_up).abort_handle();
        HttpServer::start(address, Arc::new(Self { health, metrics, monitor, upkeep })).await
    }
}

impl Drop for SupervisorPort {
    fn drop(&mut self) {
        self.upkeep.abort();
    }
}

impl Site for SupervisorPort {
    fn paths(&self) -> &'static str {
        if self.monitor.get().is_some() {
            return "/, /figures, /history, /live, /ready and /metrics";
        }
        "/live, /ready and /metrics"
    }

    fn answer(&self, visit: &Visit<'_>) -> Option<Answer> {
        let board = self.monitor.get();
        Some(match visit.path {
            "/live" => Answer::text("live\n"),
            "/ready" => match self.health.check_ready() {
                Ok(()) => Answer::text("ready\n"),
                Err(reason) => Answer::unavailable(format!("not ready: {reason}\n")),
            },
            "/metrics" => {
                self.metrics.run_upkeep();
                // Supervisors may name this machine in any way, and a page from elsewhere too.
                let board = board.filter(|_| !visit.has_foreign_host);
                let monitor = board.map(Board::metrics).unwrap_or_default();
                Answer::text(self.metrics.render() + &monitor)
            }
            _ => return monitor_answer(board?, visit),
        })
    }
}

impl Health {
    pub(crate) fn starting() -> Self {
        Self(Mutex::new(State::Starting))
    }

    pub(crate) fn set(&self, state: State) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Checks whether the process does its work. The error is the reason why it does not.
    pub(crate) fn check_ready(&self) -> Result<()> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Starting => Err(Error::unavailable("the process is starting")),
            State::Working(worker, oracle) => {
                worker.check()?;
                oracle.as_ref().map_or(Ok(()), OracleMonitor::check)
            }
            State::Electing(oracle) => oracle.check(),
            State::Loading(oracle) => oracle.as_ref().map_or(Ok(()), OracleMonitor::check),
            State::Stopping => Err(Error::unavailable("the process is stopping")),
        }
    }
}

#[cfg(test)]
mod tests {
    use fluo_accumulo::{Oracle, OracleOptions};
    use fluo_engine::{Instance, InstanceExt};
    use fluo_zookeeper::ZooKeeper;
    use zookeeper_client::{Acls, Client, CreateMode};

    use super::*;

    /// The process was ready while its oracle could not take part in the election.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_worker_is_not_ready_without_the_oracle_beside_it() {
        let zookeeper = ZooKeeper::new();
        let link = zookeeper.link();
        let client = Client::connect(&link.address()).await.unwrap();
        let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
        for (folder, node, data) in [
            ("/fluo/web/config", "fluo.application.id", "1"),
            ("/fluo/web/oracle", "max-timestamp", "2"),
            ("/fluo/web/oracle", "gc-timestamp", "0"),
            ("/fluo/web/oracle", "server", ""),
        ] {
            client.mkdir(folder, &options).await.unwrap();
            let path = format!("{folder}/{node}");
            client.create(&path, data.as_bytes(), &options).await.unwrap();
        }
        let options = OracleOptions::new(format!("{}/fluo", link.address()), "web").unwrap();
        let options = options.host("localhost").session_timeout(Duration::from_secs(4));
        let mut oracle = Oracle::start(options).await.unwrap();
        let web = Instance::in_memory().application("web").open_or_create().await.unwrap();
        let worker = web.worker().start().await.unwrap();
        let health = Health::starting();
        for with_worker in [true, false] {
            let monitor = Some(oracle.monitor());
            health.set(match with_worker {
                true => State::Working(worker.monitor(), monitor),
                false => State::Loading(monitor),
            });
            oracle.wait_for_lead().await.unwrap();
            health.check_ready().unwrap();
            link.cut();
            while health.check_ready().is_ok() {
                oracle.wait_for_change().await.unwrap();
            }
            link.resume();
        }
        oracle.wait_for_lead().await.unwrap();
        let beside = [
            State::Loading(Some(oracle.monitor())),
            State::Working(worker.monitor(), Some(oracle.monitor())),
        ];
        oracle.stop().await;
        for state in beside {
            health.set(state);
            let error = health.check_ready().unwrap_err();
            assert_eq!(error.to_string(), "the oracle has ended");
        }
        worker.stop().await;
    }
}
