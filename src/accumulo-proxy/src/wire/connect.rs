//! Streams to a proxy.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::settings::Settings;

/// What a connection talks over.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Connects to the proxy of `settings`, TLS included. The caller holds the limit.
pub(super) async fn connect(settings: &Settings) -> io::Result<Box<dyn Duplex>> {
    let stream = TcpStream::connect(&settings.address).await?;
    // A request is one write, and a reply is waited for: delay helps nobody.
    stream.set_nodelay(true)?;
    #[cfg(feature = "tls")]
    if let Some(tls) = &settings.tls {
        return Ok(Box::new(tls.handshake(stream).await?));
    }
    Ok(Box::new(stream))
}
