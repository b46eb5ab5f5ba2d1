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
//! tunnel. A connection through the tunnel has the certificate of this process, so it serves only
//! this process. `docs/decisions/0032-a-tunnel-to-zookeeper.md` has the measurements.

use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(feature = "tls")]
use accumulo_proxy::{Tls, TlsError};
use fluo_table::{Error, ErrorKind, Result, locked};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy, simplex, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::owner;
use super::security::Security;

/// The port of a server whose address has none, as in Java.
const DEFAULT_PORT: u16 = 2181;
const PAUSE: Duration = Duration::from_millis(100);
/// The shortest and the longest wait for the answer of a server.
const LIMITS: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(10)];
/// The shortest message: an id and an operation.
const SHORTEST: u32 = 8;
/// The longest message before SASL is complete, and the most bytes that wait for it. Those of the
/// client have 128 KiB and one path.
const LONGEST: u32 = 4 << 20;
/// The bytes of a client that wait for a server. While there are fewer, the tunnel sees at once
/// that the client closes its connection.
const AHEAD: usize = 64 << 10;

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
    endpoints: Vec<Endpoint>,
}

/// A server, and the time within which it must answer.
#[derive(Clone)]
pub(super) struct Endpoint {
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    host: String,
    port: u16,
    limit: Duration,
    /// The reason why the last connection failed, until the next one succeeds.
    failure: Arc<Mutex<Option<String>>>,
}

impl Tunnel {
    /// Opens a tunnel to the servers, or returns `None` without TLS and without SASL.
    pub(super) async fn open(
        security: &Security,
        servers: &str,
        session_timeout: Duration,
    ) -> Result<Option<Self>> {
        let endpoints = endpoints(security, servers, session_timeout)?;
        if endpoints.is_empty() {
            return Ok(None);
        }
        owner::check_support()?;
        let mut addresses = Vec::new();
        for endpoint in &endpoints {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
            let (address, listener) = bound.map_err(|error| {
                let message = "no local port can be opened for connections to ZooKeeper";
                Error::with_source(ErrorKind::Unavailable, message, error)
            })?;
            addresses.push(address.to_string());
            tokio::spawn(serve(listener, endpoint.clone()));
        }
        Ok(Some(Self { address: addresses.join(","), endpoints }))
    }

    /// Returns the address of the tunnel in place of that of the servers.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the reasons of the servers that cannot be reached.
    pub(super) fn failure(&self) -> Option<String> {
        let failures =
            self.endpoints.iter().filter_map(|endpoint| locked(&endpoint.failure).clone());
        let failures: Vec<_> = failures.collect();
        (!failures.is_empty()).then(|| failures.join("; "))
    }
}

/// Returns the servers of a session with TLS or SASL; empty without TLS and without SASL.
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
    let [shortest, longest] = LIMITS;
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
            // Usually shorter than the wait of the client, 2/5 of the negotiated timeout.
            limit: (session_timeout / 3).clamp(shortest, longest),
            failure: Arc::default(),
        })
    };
    servers.split(',').map(endpoint).collect()
}

async fn serve(listener: TcpListener, endpoint: Endpoint) {
    loop {
        let Ok((client, _)) = listener.accept().await else {
            // There is no free file handle.
            sleep(PAUSE).await;
            continue;
        };
        let checked = spawn_blocking(|| owner::check(&client).map(|()| client)).await;
        let mut client = match checked.map_err(io::Error::other).flatten() {
            Ok(client) => client,
            Err(error) => {
                warn!("a local connection to the tunnel to ZooKeeper is rejected: {error}");
                continue;
            }
        };
        let endpoint = endpoint.clone();
        tokio::spawn(async move {
            if let Err(error) = endpoint.pass(&mut client).await {
                let reason = endpoint.reason(&error);
                warn!("no connection to ZooKeeper: {reason}");
                // Stored before the client sees the closed connection, because `open` then reads
                // it.
                *locked(&endpoint.failure) = Some(reason);
            }
        });
    }
}

impl Endpoint {
    /// Passes all bytes between the client and the server, until one of them closes its connection.
    async fn pass(&self, client: &mut TcpStream) -> io::Result<()> {
        client.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.split();
        let (mut requests, mut ahead) = simplex(AHEAD);
        let mut reading = pin!(async move {
            // Both ends of a connection are the same process, so an error is a close as well.
            let _ = copy(&mut from_client, &mut ahead).await;
            let _ = ahead.shutdown().await;
        });
        let opened = async {
            let (mut from_server, mut to_server) = split(self.connect().await?);
            let request = frame(&mut requests).await?;
            // A server that rejects the client may close its end before the request arrives. Its
            // alert then is the reason.
            let sent = send(&mut to_server, &request).await;
            let answer = frame(&mut from_server).await?;
            sent?;
            *locked(&self.failure) = None;
            send(&mut to_client, &answer).await?;
            Ok::<_, io::Error>((from_server, to_server))
        };
        let (mut from_server, mut to_server) = tokio::select! {
            opened = timeout(self.limit, opened) => opened??,
            () = &mut reading => return Ok(()),
        };
        let closed = async {
            reading.await;
            // The last requests of the client are on their way.
            sleep(self.limit).await;
        };
        tokio::select! {
            passed = pass_requests(&mut requests, &mut to_server) => match passed {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(error),
                // The client reports the loss of a connection.
                _ => Ok(()),
            },
            _ = copy(&mut from_server, &mut to_client) => Ok(()),
            () = closed => Ok(()),
        }
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

/// Reads one message with its length.
async fn frame(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    if !(SHORTEST..=LONGEST).contains(&length) {
        return Err(invalid(format!("a message has {length} bytes, not {SHORTEST} to {LONGEST}")));
    }
    let mut frame = length.to_be_bytes().to_vec();
    match from.take(length.into()).read_to_end(&mut frame).await? {
        read if read < length as usize => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(frame),
    }
}

/// Writes all bytes. TLS may keep a part of them until the flush.
async fn send(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).await?;
    to.flush().await
}

/// Passes the requests of a session. Those that renew watches wait until the client sends another
/// one than those for its identity, which it does only when SASL is complete.
async fn pass_requests(
    client: &mut (impl AsyncRead + Unpin),
    server: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let mut waiting = Vec::new();
    loop {
        let request = frame(client).await?;
        let operation = request.get(8..12).and_then(|bytes| bytes.try_into().ok());
        match operation.map(u32::from_be_bytes) {
            Some(SET_WATCHES | SET_WATCHES_2) => waiting.extend(request),
            Some(AUTH | SASL) => send(server, &request).await?,
            _ => {
                send(server, &[waiting, request].concat()).await?;
                return copy(client, server).await.map(drop);
            }
        }
        if waiting.len() > LONGEST as usize {
            return Err(invalid(format!(
                "the watches of a session have more than {LONGEST} bytes"
            )));
        }
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::zookeeper::security::Sasl;

    const REQUEST: &[u8] = b"\0\0\0\x08request!";

    /// Opens a tunnel to a server that the test plays, and a client of it.
    async fn open() -> (Tunnel, TcpListener, TcpStream) {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let sasl = Sasl { user: "fluo".to_owned(), password: "pa55word".to_owned() };
        let security = Security { sasl: Some(sasl), ..Security::default() };
        let address = server.local_addr().unwrap().to_string();
        let tunnel = Tunnel::open(&security, &address, LIMITS[1]).await.unwrap().unwrap();
        let client = TcpStream::connect(tunnel.address()).await.unwrap();
        (tunnel, server, client)
    }

    async fn is_closed(stream: &mut TcpStream) -> bool {
        stream.read_to_end(&mut Vec::new()).await.is_ok_and(|read| read == 0)
    }

    #[tokio::test]
    async fn rejects_another_process_of_the_same_user() {
        let (tunnel, server, mut client) = open().await;
        let (_, port) = tunnel.address().split_once(':').unwrap();
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo '123456789' >&3; cat <&3");
        let stranger = spawn_blocking(|| Command::new("bash").args(["-c", &{ script }]).output());
        // The connection of this process stays open, and is the only one that reaches the server.
        let (mut accepted, _) = server.accept().await.unwrap();
        tokio::select! {
            output = stranger => assert_eq!(output.unwrap().unwrap().stdout, b""),
            _ = server.accept() => panic!("another process reaches the server"),
        }
        send(&mut client, REQUEST).await.unwrap();
        assert_eq!(frame(&mut accepted).await.unwrap(), REQUEST);
        assert_eq!(tunnel.failure(), None);
    }

    #[tokio::test]
    async fn a_failure_lasts_until_the_next_connection_succeeds() {
        let (tunnel, server, mut client) = open().await;
        send(&mut client, REQUEST).await.unwrap();
        let (mut accepted, _) = server.accept().await.unwrap();
        frame(&mut accepted).await.unwrap();
        drop(accepted);
        assert!(is_closed(&mut client).await);
        let address = server.local_addr().unwrap();
        assert_eq!(tunnel.failure(), Some(format!("`{address}` closes the connection")));

        let mut client = TcpStream::connect(tunnel.address()).await.unwrap();
        send(&mut client, REQUEST).await.unwrap();
        let (mut accepted, _) = server.accept().await.unwrap();
        send(&mut accepted, REQUEST).await.unwrap();
        assert_eq!(frame(&mut client).await.unwrap(), REQUEST);
        assert_eq!(tunnel.failure(), None);
    }

    #[tokio::test]
    async fn a_client_that_closes_closes_the_connection_to_the_server() {
        for is_opened in [false, true] {
            let (tunnel, server, mut client) = open().await;
            send(&mut client, REQUEST).await.unwrap();
            let (mut accepted, _) = server.accept().await.unwrap();
            frame(&mut accepted).await.unwrap();
            if is_opened {
                send(&mut accepted, REQUEST).await.unwrap();
                frame(&mut client).await.unwrap();
                send(&mut client, REQUEST).await.unwrap();
            }
            drop(client);
            if is_opened {
                assert_eq!(frame(&mut accepted).await.unwrap(), REQUEST);
            }
            assert!(is_closed(&mut accepted).await);
            // The limit of the tunnel did not close it.
            assert_eq!(tunnel.failure(), None);
        }
    }

    #[tokio::test]
    async fn rejects_a_message_of_an_impossible_length() {
        for length in [0, SHORTEST - 1, LONGEST + 1, u32::MAX] {
            let (tunnel, _server, mut client) = open().await;
            client.write_u32(length).await.unwrap();
            assert!(is_closed(&mut client).await);
            let failure = tunnel.failure().unwrap();
            assert!(failure.contains(&format!("a message has {length} bytes")), "{failure}");
        }
    }

    #[tokio::test]
    async fn watches_wait_for_sasl_within_a_limit() {
        let request = |operation: u32, length: u32| {
            let body = vec![0; length as usize - 8];
            [&length.to_be_bytes()[..], &[0; 4], &operation.to_be_bytes(), &body].concat()
        };
        let (watches, sasl, other) = (request(SET_WATCHES, 9), request(SASL, 8), request(1, 8));
        let mut passed = Vec::new();
        let all = [&*watches, &sasl, &watches, &other, b"rest"].concat();
        pass_requests(&mut &*all, &mut passed).await.unwrap();
        assert_eq!(passed, [&*sasl, &watches, &watches, &other, b"rest"].concat());

        let most = request(SET_WATCHES, LONGEST / 2);
        let error = pass_requests(&mut &*most.repeat(2), &mut Vec::new()).await.unwrap_err();
        assert!(error.to_string().starts_with("the watches of a session have more than"));
    }
}
