//! The port of an oracle. It is bound before the election, because the election node has its
//! number, and it listens only during a term: until then clients are refused at once, and wait.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::connection;
use super::term::Term;

/// The maximum number of connections. Further ones are closed at once.
const MAX_CONNECTIONS: usize = 4_096;
/// The length of the queue of connections that are not accepted yet.
const BACKLOG: u32 = 1_024;
/// The pause after a connection could not be accepted, for example for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The idle time after which the system checks whether the machine of a client still exists.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// A port that is bound and does not listen yet.
#[derive(Debug)]
pub(super) struct BoundPort {
    socket: TcpSocket,
    number: u16,
}

impl BoundPort {
    /// Binds a port; 0 binds a free one.
    pub(super) fn bind(address: IpAddr, port: u16) -> Result<Self> {
        let bind = || {
            let socket = match address {
                IpAddr::V4(_) => TcpSocket::new_v4()?,
                IpAddr::V6(_) => TcpSocket::new_v6()?,
            };
            // A former listener of this port may have connections in TIME_WAIT.
            socket.set_reuseaddr(true)?;
            socket.bind(SocketAddr::new(address, port))?;
            let number = socket.local_addr()?.port();
            Ok(Self { socket, number })
        };
        bind().map_err(|error: std::io::Error| {
            let message =
                format!("cannot listen at {address} port {port}: {error}; choose another port");
            Error::with_source(ErrorKind::Unavailable, message, error)
        })
    }

    /// Returns the number of the port.
    pub(super) fn number(&self) -> u16 {
        self.number
    }

    /// Listens, and serves all connections until the future is dropped, which closes them.
    pub(super) async fn serve(self, term: Arc<Term>) -> Error {
        let listener = match self.socket.listen(BACKLOG) {
            Ok(listener) => listener,
            Err(error) => {
                let message = format!("cannot listen at port {}: {error}", self.number);
                return Error::with_source(ErrorKind::Unavailable, message, error);
            }
        };
        let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Ok(permit) = free.clone().try_acquire_owned() else {
                tracing::warn!("{MAX_CONNECTIONS} clients are connected; another one is refused");
                continue;
            };
            prepare(&stream);
            let term = term.clone();
            connections.spawn(async move {
                connection::serve(stream, term).await;
                drop(permit);
            });
        }
    }
}

/// Sets options of a connection. A system without them serves it anyway.
fn prepare(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE);
    let set =
        stream.set_nodelay(true).and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = set {
        tracing::debug!(%error, "an option of a connection cannot be set");
    }
}
