//! A server of HTTP with few paths, which only reads.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// Maximum number of connections at the same time. Further ones wait.
const CONNECTIONS: usize = 32;
/// The time in which a client must send a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// The time in which a client must send a request and take its answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a connection was not accepted, for example because no descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The kind of text, with the version of Prometheus' text.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// A page loads nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The answers of a server.
pub(crate) trait Site: Send + Sync + 'static {
    /// The paths, for the answer at another one.
    fn paths(&self) -> &'static str;

    /// Returns the answer at a path, or `None` if there is no such path.
    fn answer(&self, visit: &Visit<'_>) -> Option<Answer>;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit<'a> {
    pub(crate) path: &'a str,
    /// True if a request to this machine itself names another host. A browser sends it for a page
    /// from elsewhere, whose name was made to lead to this machine.
    pub(crate) has_foreign_host: bool,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) content: &'static str,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn text(body: impl Into<String>) -> Self {
        Self { status: StatusCode::OK, content: TEXT, body: body.into() }
    }

    pub(crate) fn unavailable(body: String) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, ..Self::text(body) }
    }
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct HttpServer {
    address: SocketAddr,
    task: AbortHandle,
}

impl HttpServer {
    pub(crate) async fn start(address: SocketAddr, site: Arc<dyn Site>) -> Result<Self> {
        let paths = site.paths();
        let failed = |error: io::Error| {
            let message = format!("cannot listen at {address} for {paths}");
            Error::with_source(ErrorKind::Unavailable, message, error)
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        info!("{paths} are at http://{address}");
        let task = tokio::spawn(serve(listener, site));
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

async fn serve(listener: TcpListener, site: Arc<dyn Site>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let permit = permits.clone().acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = site.clone();
                tokio::spawn(async move {
                    // A client that is too slow, or goes away, gets no answer.
                    let _ = timeout(TIMEOUT, answer(stream, site)).await;
                    drop(permit);
                });
            }
            Err(error) => {
                warn!(%error, "a connection was not accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn answer(stream: TcpStream, site: Arc<dyn Site>) -> hyper::Result<()> {
    let is_local = stream.local_addr().is_ok_and(|address| address.ip().is_loopback());
    let service = service_fn(move |request: Request<_>| {
        let response = respond(&*site, is_local, &request);
        async { Ok::<_, Infallible>(response) }
    });
    let mut connection = http1::Builder::new();
    let connection = connection.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT);
    connection.keep_alive(false).serve_connection(TokioIo::new(stream), service).await
}

fn respond<B>(site: &dyn Site, is_local: bool, request: &Request<B>) -> Response<String> {
    let refused = |status, text: String| Answer { status, ..Answer::text(text) };
    let visit = Visit {
        path: request.uri().path(),
        has_foreign_host: is_local && !names_this_machine(request),
    };
    let answer = if matches!(*request.method(), Method::GET | Method::HEAD) {
        site.answer(&visit).unwrap_or_else(|| {
            refused(StatusCode::NOT_FOUND, format!("the paths are {}\n", site.paths()))
        })
    } else {
        refused(StatusCode::METHOD_NOT_ALLOWED, "the methods are GET and HEAD\n".to_owned())
    };
    let mut response = Response::new(answer.body);
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Checks that the host of a request is an address or `localhost`.
fn names_this_machine<B>(request: &Request<B>) -> bool {
    let Some(host) = request.headers().get(HOST) else { return true };
    let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    authority.is_some_and(|authority| {
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok()
    })
}
