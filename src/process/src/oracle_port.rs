//! The port for supervisors of an oracle in a process of its own: [`OraclePort`].

use std::net::SocketAddr;
use std::sync::Arc;

use fluo_accumulo::Oracle;
use fluo_table::Result;

use crate::health::{Health, State, SupervisorPort};
use crate::http::HttpServer;

/// The port for supervisors of a process that only runs an [`Oracle`]. It is closed when this is
/// dropped.
///
/// | path | answer |
/// |---|---|
/// | `/live` | 200 while the process can answer |
/// | `/ready` | 200 while the oracle [leads or stands by](fluo_accumulo::OracleMonitor::check); otherwise 503 and the reason |
/// | `/metrics` | all metrics, as text for Prometheus |
///
/// The port has no encryption and no login: keep it on a private network.
#[derive(Debug)]
pub struct OraclePort {
    health: Arc<Health>,
    http: HttpServer,
}

impl OraclePort {
    /// Opens the port; with port 0 the system chooses one. The process is not ready yet.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the port is taken;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the program has a recorder of metrics.
    pub async fn open(address: SocketAddr) -> Result<Self> {
        let health = Arc::new(Health::starting());
        let http = SupervisorPort::open(address, health.clone(), Arc::default()).await?;
        Ok(Self { health, http })
    }

    /// Returns the address of the port.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Sets the oracle whose readiness the port answers.
    pub fn serve(&self, oracle: &Oracle) {
        self.health.set(State::Electing(oracle.monitor()));
    }

    /// Answers from now on that the process is stopping.
    pub fn stop(&self) {
        self.health.set(State::Stopping);
    }
}
