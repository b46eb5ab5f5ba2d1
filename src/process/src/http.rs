//! The port for supervisors: `/live`, `/ready` and `/metrics`.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::{interval, sleep, timeout};
use tracing::{info, warn};

use crate::health::Health;
use crate::prometheus;

/// Maximum number of connections at the same time. Further ones wait.
const CONNECTIONS: usize = 32;
/// The time in which a client must send a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// The time in which a client must send a request and take its answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a connection was not accepted, for example because no descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The period after which the samples of the metrics are summed up, to bound their memory.
const UPKEEP: Duration = Duration::from_secs(5);

/// The kind of all answers, with the version of Prometheus' text.
const CONTENT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct HttpServer {
    address: SocketAddr,
    task: AbortHandle,
}

#[derive(Clone, Debug)]
struct Answers {
    health: Arc<Health>,
    metrics: PrometheusHandle,
}

impl HttpServer {
    pub(crate) async fn start(address: SocketAddr, health: Arc<Health>) -> Result<Self> {
        let failed = |error: io::Error| {
            let message = format!("cannot listen at {address} for /live, /ready and /metrics");
            Error::with_source(ErrorKind::Unavailable, message, error)
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let metrics = prometheus::install()?;
        info!("/live, /ready and /metrics are at http://{address}");
        let answers = Answers { health, metrics };
        let task = tokio::spawn(async move {
            tokio::join!(answers.clone().keep_up(), serve(listener, answers));
        });
        Ok(Self { address, task: task.abort_handle() })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, answers: Answers) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let permit = permits.clone().acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let answers = answers.clone();
                tokio::spawn(async move {
                    // A client that is too slow, or goes away, gets no answer.
                    let _ = timeout(TIMEOUT, answer(stream, answers)).await;
                    drop(permit);
                });
            }
            Err(error) => {
                warn!(%error, "a connection to the port for supervisors was not accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn answer(stream: TcpStream, answers: Answers) -> hyper::Result<()> {
    let service = service_fn(move |request: Request<_>| {
        let response = answers.to(request.method(), request.uri().path());
        async { Ok::<_, Infallible>(response) }
    });
    let mut connection = http1::Builder::new();
    let connection = connection.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT);
    connection.keep_alive(false).serve_connection(TokioIo::new(stream), service).await
}

impl Answers {
    async fn keep_up(self) {
        let mut period = interval(UPKEEP);
        loop {
            period.tick().await;
            self.metrics.run_upkeep();
        }
    }

    fn to(&self, method: &Method, path: &str) -> Response<String> {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let (status, text) = match path {
            _ if !is_read => {
                (StatusCode::METHOD_NOT_ALLOWED, "the methods are GET and HEAD\n".to_owned())
            }
            "/live" => (StatusCode::OK, "live\n".to_owned()),
            "/ready" => match self.health.check_ready() {
                Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
                Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
            },
            "/metrics" => {
                self.metrics.run_upkeep();
                (StatusCode::OK, self.metrics.render())
            }
            _ => (StatusCode::NOT_FOUND, "the paths are /live, /ready and /metrics\n".to_owned()),
        };
        let mut response = Response::new(text);
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(CONTENT));
        response
    }
}
