//! TLS between this process and ZooKeeper, and the order of requests with SASL.
//!
//! ```text
//! zookeeper-client ── 127.0.0.1 ──> tunnel ── TCP or TLS ──> a server of ZooKeeper
//! ```
//!
//! `zookeeper-client` 0.11 has both, but:
//!
//! - Its TLS needs a second library of cryptography, and does not return the reason of a failure.
//!   The tunnel uses the TLS of the connections to the proxy.
//! - It sends its identity together with the request for a session. A server with Netty, as TLS
//!   requires, sometimes answers the identity first, which the client does not understand. So the
//!   tunnel lets all requests wait for the session.
//! - When it connects again, it renews the watches before SASL is complete. A server that requires
//!   SASL ends the session then. So the tunnel lets these requests wait for SASL.
//!
//! Each server has its own port, so the client chooses the server, and connects again, as without a
//! tunnel. A connection through the tunnel has the certificate of this process. So with TLS it
//! serves only processes of the same user, which could read the key of the certificate as well.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(feature = "tls")]
use accumulo_proxy::{Tls, TlsError};
use fluo_table::{Error, ErrorKind, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::security::Security;
use crate::locked::locked;

/// The port of a server whose address has none, as in Java.
const DEFAULT_PORT: u16 = 2181;
const PAUSE: Duration = Duration::from_millis(100);

/// The operations of requests, in the protocol of ZooKeeper.
const AUTH: u32 = 100;
const SET_WATCHES: u32 = 101;
const SASL: u32 = 102;
const SET_WATCHES_2: u32 = 105;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The local ends of the connections of a session. Its tasks end with the runtime of the session.
pub(super) struct Tunnel {
    address: String,
    failure: Arc<Mutex<Option<String>>>,
}

/// A server, and the time within which it must answer.
#[derive(Clone)]
pub(super) struct Endpoint {
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    host: String,
    port: u16,
    limit: Duration,
    failure: Arc<Mutex<Option<String>>>,
}

impl Tunnel {
    /// Opens a tunnel to the servers, or returns `None` without TLS and SASL.
    pub(super) async fn open(
        security: &Security,
        servers: &str,
        session_timeout: Duration,
    ) -> Result<Option<Self>> {
        let endpoints = endpoints(security, servers, session_timeout)?;
        let failure = Arc::default();
        let mut addresses = Vec::new();
        for endpoint in endpoints {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
            let (address, listener) = bound.map_err(|error| {
                let message = "no local port can be opened for connections to ZooKeeper";
                Error::with_source(ErrorKind::Unavailable, message, error)
            })?;
            addresses.push(address.to_string());
            let endpoint = Endpoint { failure: Arc::clone(&failure), ..endpoint };
            tokio::spawn(serve(listener, endpoint));
        }
        let address = addresses.join(",");
        Ok((!address.is_empty()).then_some(Self { address, failure }))
    }

    /// Returns the address of the tunnel in place of that of the servers.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the reason of the last connection that failed.
    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }
}

/// Returns the servers of a session with TLS or SASL; none without both.
///
/// # Errors
///
/// [`Invalid`](ErrorKind::Invalid) if an address is not `HOST:PORT`.
pub(super) fn endpoints(
    security: &Security,
    servers: &str,
    session_timeout: Duration,
) -> Result<Vec<Endpoint>> {
    #[cfg(feature = "tls")]
    let has_tls = security.tls.is_some();
    #[cfg(not(feature = "tls"))]
    let has_tls = false;
    if security.sasl.is_none() && !has_tls {
        return Ok(Vec::new());
    }
    let endpoint = |server: &str| {
        let (host, port) = match server.rsplit_once(':').filter(|_| !server.ends_with(']')) {
            Some((host, port)) => (host, port.parse().ok().filter(|port| *port > 0)),
            None => (server, Some(DEFAULT_PORT)),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let invalid = || {
            Error::invalid(format!(
                "`{}` is not the address of a server of ZooKeeper; write HOST:PORT",
                server.escape_debug()
            ))
        };
        #[cfg(feature = "tls")]
        let tls = security.tls.as_ref().map(|tls| tls.for_server(host));
        Ok(Endpoint {
            #[cfg(feature = "tls")]
            tls: tls.transpose().map_err(|_| invalid())?,
            host: host.to_owned(),
            port: port.ok_or_else(invalid)?,
            // Shorter than the client waits for an answer, 2/5 of the session timeout.
            limit: session_timeout / 3,
            failure: Arc::default(),
        })
    };
    servers.split(',').map(endpoint).collect()
}

async fn serve(listener: TcpListener, endpoint: Endpoint) {
    loop {
        let Ok((mut client, _)) = listener.accept().await else {
            // There is no free file handle.
            sleep(PAUSE).await;
            continue;
        };
        let endpoint = endpoint.clone();
        tokio::spawn(async move {
            if let Err(error) = endpoint.pass(&mut client).await {
                let reason = endpoint.reason(&error);
                warn!("no connection to ZooKeeper: {reason}");
                // Before the client is dropped, which then asks for it.
                *locked(&endpoint.failure) = Some(reason);
            }
        });
    }
}

impl Endpoint {
    /// Passes all bytes between the client and the server, until one of them closes its connection.
    async fn pass(&self, client: &mut TcpStream) -> io::Result<()> {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            super::owner::check(client)?;
        }
        client.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.split();
        let opened = async {
            let (mut from_server, mut to_server) = split(self.connect().await?);
            pass_frame(&mut from_client, &mut to_server).await?;
            pass_frame(&mut from_server, &mut to_client).await?;
            Ok::<_, io::Error>((from_server, to_server))
        };
        let (mut from_server, mut to_server) = timeout(self.limit, opened).await??;
        tokio::select! {
            // The client closes its end when it does not wait for answers.
            _ = pass_requests(&mut from_client, &mut to_server) => {}
            // The client reports the loss of a connection.
            _ = copy(&mut from_server, &mut to_client) => {}
        }
        Ok(())
    }

    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect((&*self.host, self.port)).await?;
        stream.set_nodelay(true)?;
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            let stream = tls.connect(stream).await.map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    io::Error::other("it closes the connection at once, as a port without TLS does")
                }
                _ => error,
            });
            return Ok(Box::new(stream?));
        }
        Ok(Box::new(stream))
    }

    /// Returns the reason of a failure as a sentence.
    fn reason(&self, error: &io::Error) -> String {
        let server = format!("`{}:{}`", self.host, self.port);
        #[cfg(feature = "tls")]
        if let Some(reason) = TlsError::of(error) {
            return format!("TLS with {server} failed: {reason}");
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => format!("{server} closes the connection"),
            io::ErrorKind::TimedOut => format!("{server} does not answer within {:?}", self.limit),
            _ => format!("{server}: {error}"),
        }
    }
}

/// Passes one message with its length.
async fn pass_frame(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let length = from.read_u32().await?;
    to.write_u32(length).await?;
    copy(&mut from.take(length.into()), to).await.map(drop)
}

/// Passes the requests of a session. Those that renew watches wait until the client sends another
/// one than those for its identity, which it does only when SASL is complete.
async fn pass_requests(
    client: &mut (impl AsyncRead + Unpin),
    server: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let mut waiting = Vec::new();
    loop {
        let (length, id, operation) =
            (client.read_u32().await?, client.read_u32().await?, client.read_u32().await?);
        let header = [length, id, operation].map(u32::to_be_bytes).concat();
        let mut body = client.take(u64::from(length).saturating_sub(8));
        match operation {
            SET_WATCHES | SET_WATCHES_2 => {
                waiting.extend(header);
                body.read_to_end(&mut waiting).await?;
            }
            AUTH | SASL => {
                server.write_all(&header).await?;
                copy(&mut body, server).await?;
            }
            _ => {
                server.write_all(&[waiting, header].concat()).await?;
                return copy(client, server).await.map(drop);
            }
        }
    }
}
