//! Streams to a proxy.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::options::ProxyOptions;

/// Idle time after which TCP checks that the other end is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Connects to the proxy of `options`, including TLS. The caller enforces the time limit.
pub(super) async fn connect(options: &ProxyOptions) -> io::Result<Box<dyn Duplex>> {
    let connected = TcpStream::connect(&options.address).await;
    let stream = connected.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => {
            let address = options.address.escape_debug();
            let sentence = format!("the address `{address}` is not of the form `host:port`");
            io::Error::new(io::ErrorKind::InvalidInput, sentence)
        }
        _ => error,
    })?;
    set_up(&stream)?;
    #[cfg(feature = "tls")]
    if let Some(tls) = &options.tls {
        return Ok(Box::new(tls.connect(stream).await.map_err(in_words)?));
    }
    Ok(Box::new(stream))
}

fn set_up(stream: &TcpStream) -> io::Result<()> {
    // A request is one write and the client then waits for the reply, so delaying packets has no
    // benefit.
    stream.set_nodelay(true)?;
    // Detects within two minutes that the host crashed or a firewall dropped the connection.
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE);
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// Returns the error unchanged, or, if it is a TLS error, as a sentence with kind
/// [`io::ErrorKind::InvalidData`].
pub(super) fn in_words(error: io::Error) -> io::Error {
    #[cfg(feature = "tls")]
    return crate::tls::in_words(error);
    #[cfg(not(feature = "tls"))]
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn enables_keepalive_on_connections() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        set_up(&stream).unwrap();
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().unwrap());
        assert_eq!(socket.tcp_keepalive_time().unwrap(), KEEPALIVE);
    }
}
