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
    let stream = TcpStream::connect(&settings.address)
        .await
        .map_err(|error| about_address(error, settings))?;
    // A request is one write, and a reply is waited for: delay helps nobody.
    stream.set_nodelay(true)?;
    #[cfg(feature = "tls")]
    if let Some(tls) = &settings.tls {
        return Ok(Box::new(tls.handshake(stream).await?));
    }
    Ok(Box::new(stream))
}

/// The same error; where the address is none, as a sentence of kind [`io::ErrorKind::InvalidInput`].
fn about_address(error: io::Error, settings: &Settings) -> io::Error {
    if error.kind() != io::ErrorKind::InvalidInput {
        return error;
    }
    let address = settings.address.escape_debug();
    let sentence = format!("the address `{address}` is not of the form `host:port`");
    io::Error::new(io::ErrorKind::InvalidInput, sentence)
}

/// The same error; one of TLS as a sentence, of kind [`io::ErrorKind::InvalidData`].
pub(super) fn in_words(error: io::Error) -> io::Error {
    #[cfg(feature = "tls")]
    return crate::tls::in_words(error);
    #[cfg(not(feature = "tls"))]
    error
}
