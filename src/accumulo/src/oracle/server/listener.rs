//! The port of an oracle. It is bound before the election, because the election node has its
//! number, and it listens only during a term: until then clients are refused at once, and wait.
//!
//! Each connection has its own buffer of at most one message. A request that must be refused (of
//! another application, for a negative or absurd number of timestamps, while the oracle does not
//! lead, or damaged) closes the connection without a reply: clients in Java repeat a call without a
//! pause if the reply is an exception.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
#[cfg(not(simulated))]
use socket2::{SockRef, TcpKeepalive};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::descriptors;
use super::term::Term;
use crate::oracle::net::{TcpListener, TcpSocket, TcpStream};
use crate::oracle::wire::{
    Call, PATIENCE, Reply, decode_request, encode_reply, read_frame, write_frame,
};
use crate::telemetry::{self, REFUSED};

/// The maximum number of connections, if there are enough file descriptors. Further ones are closed
/// at once.
const MAX_CONNECTIONS: usize = 4_096;
/// The length of the queue of connections that are not accepted yet.
const BACKLOG: u32 = 1_024;
/// The pause after a connection could not be accepted, for example for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The idle time after which the system checks whether the machine of a client still exists.
#[cfg(not(simulated))]
const KEEPALIVE: Duration = Duration::from_secs(60);
const MAX_METHOD_BYTES: usize = 100;

/// Binds a port, which does not listen yet. Returns its number with it.
pub(super) fn bind(address: IpAddr, port: u16) -> Result<(TcpSocket, u16)> {
    let bind = || {
        let socket = match address {
            IpAddr::V4(_) => TcpSocket::new_v4()?,
            IpAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A former listener of this port may have connections in TIME_WAIT.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::new(address, port))?;
        let number = socket.local_addr()?.port();
        Ok((socket, number))
    };
    bind().map_err(|error: io::Error| {
        let message =
            format!("cannot listen at {address} port {port}: {error}; choose another port");
        Error::with_source(ErrorKind::Unavailable, message, error)
    })
}

/// Listens at a bound port. Connections wait until they are served.
pub(super) fn listen(socket: TcpSocket, port: u16) -> Result<TcpListener> {
    socket.listen(BACKLOG).map_err(|error| {
        let message = format!("cannot listen at port {port}: {error}");
        Error::with_source(ErrorKind::Unavailable, message, error)
    })
}

/// Serves all connections until the future is dropped, which closes them.
pub(super) async fn serve(listener: TcpListener, term: Arc<Term>) -> Infallible {
    let mut connections = JoinSet::new();
    let max = MAX_CONNECTIONS.min(descriptors::for_clients());
    let mut was_full = false;
    loop {
        let (stream, _) = accepted(|| listener.accept()).await;
        while connections.try_join_next().is_some() {}
        let is_full = connections.len() >= max;
        if is_full && !was_full {
            tracing::warn!("{max} clients are connected; others are refused");
        }
        was_full = is_full;
        if is_full {
            telemetry::count(REFUSED, 1);
            continue;
        }
        #[cfg(not(simulated))]
        prepare(&stream);
        connections.spawn(serve_connection(stream, term.clone()));
    }
}

/// Accepts a connection. Logs the first of the failures before it.
async fn accepted<T, F: Future<Output = io::Result<T>>>(accept: impl Fn() -> F) -> T {
    let mut has_failed = false;
    loop {
        match accept().await {
            Ok(connection) => return connection,
            Err(error) if !has_failed => {
                tracing::warn!(%error, "a connection cannot be accepted");
                has_failed = true;
            }
            Err(_) => {}
        }
        sleep(ACCEPT_PAUSE).await;
    }
}

/// Sets options of a connection. A system without them serves it anyway.
#[cfg(not(simulated))]
fn prepare(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE);
    let set =
        stream.set_nodelay(true).and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = set {
        tracing::debug!(%error, "an option of a connection cannot be set");
    }
}

async fn serve_connection(mut stream: TcpStream, term: Arc<Term>) {
    // A connection that has sent a valid request may be idle without limit, as clients expect.
    let first = timeout(PATIENCE, read_frame(&mut stream));
    let mut read = first.await.unwrap_or(Err(io::ErrorKind::TimedOut.into()));
    while let Ok(message) = read {
        let Some(reply) = answer(&message, &term).await else {
            telemetry::count(REFUSED, 1);
            tracing::debug!("a request is refused");
            return;
        };
        read = match write_frame(&mut stream, &reply).await {
            Ok(()) => read_frame(&mut stream).await,
            Err(error) => Err(error),
        };
    }
    tracing::debug!(error = ?read.err(), "a client is disconnected");
}

/// Returns the reply to a message, or `None` if the connection must be closed.
async fn answer(message: &[u8], term: &Term) -> Option<Vec<u8>> {
    let (sequence, call) = decode_request(message).ok()?;
    let reply = match call {
        Call::GetTimestamps { id, count } => term.stamps(&id, count).await?,
        Call::IsLeader => Reply::Leader(term.leads()),
        Call::Unknown { method } if method.len() > MAX_METHOD_BYTES => return None,
        Call::Unknown { method } => Reply::unknown_method(method),
    };
    encode_reply(sequence, &reply).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tracing::subscriber::set_default;
    use tracing::{Event, Level, Subscriber};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
    use tracing_subscriber::registry;

    use super::*;

    struct Warnings(Arc<AtomicU32>);

    impl<S: Subscriber> Layer<S> for Warnings {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            if *event.metadata().level() == Level::WARN {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Covers a bug: ten warnings per second, for as long as there were no descriptors.
    #[tokio::test(start_paused = true)]
    async fn warns_once_of_each_outage() {
        let warnings = Arc::new(AtomicU32::new(0));
        let _default = set_default(registry().with(Warnings(warnings.clone())));
        let calls = AtomicU32::new(0);
        let accept = async || match calls.fetch_add(1, Ordering::Relaxed) % 100 {
            99 => Ok("a connection"),
            _ => Err(io::Error::other("too many open files")),
        };
        for outages in 1..=2 {
            assert_eq!(accepted(accept).await, "a connection");
            assert_eq!(warnings.load(Ordering::Relaxed), outages);
        }
        assert_eq!(calls.load(Ordering::Relaxed), 200);
    }
}
