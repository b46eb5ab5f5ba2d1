//! A connection with one call at a time.
//!
//! # A reply never reaches another call
//!
//! A connection is usable only while no call is open on it. A call owns its connection, and returns
//! it after a complete reply. A call that failed, timed out or was dropped closes its connection,
//! so that its late reply is lost with it. In addition, each reply must have the name and the
//! number of its call.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};

use super::codec::{self, Failure, LENGTH_BYTES};
use super::connect::{Duplex, connect, in_words};
use super::{Call, Reply};
use crate::options::ProxyOptions;

/// Initial buffer size for a reply before any of it has arrived.
const FIRST_ROOM_BYTES: usize = 64 * 1024;
/// Maximum memory of a reply and its decoded form, as a multiple of the longest frame.
const DECODED_PER_FRAME: usize = 8;

/// A connection without an open call.
pub(crate) struct Connection {
    stream: Box<dyn Duplex>,
    options: Arc<ProxyOptions>,
    sequence: i32,
}

impl Connection {
    /// Opens a connection. The caller enforces the time limit.
    pub(crate) async fn open(options: &Arc<ProxyOptions>) -> io::Result<Self> {
        let stream = connect(options).await?;
        Ok(Self { stream, options: Arc::clone(options), sequence: 0 })
    }

    /// Makes a call. Returns the connection if it is still usable, which it is after a result or an
    /// exception.
    pub(crate) async fn call<C: Call>(
        mut self,
        request: &C,
    ) -> (Option<Self>, Result<Option<C::Success>, Failure>) {
        match self.exchange(request).await {
            Ok(Reply(outcome)) => {
                let thrown = |(exception, message)| Failure::Thrown(exception, message);
                (Some(self), outcome.map_err(thrown))
            }
            Err(failure @ (Failure::TooLarge { .. } | Failure::Unwritable(_))) => {
                (Some(self), Err(failure))
            }
            Err(failure) => (None, Err(failure)),
        }
    }

    /// Checks whether the connection is still usable: the server has neither closed it nor sent
    /// unexpected data.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        let mut context = Context::from_waker(Waker::noop());
        // Data, the end of the stream and an error all make the read ready, and none of them is
        // expected here.
        Pin::new(&mut self.stream).poll_read(&mut context, &mut buffer).is_pending()
    }

    async fn exchange<C: Call>(&mut self, request: &C) -> Result<Reply<C>, Failure> {
        self.sequence = self.sequence.wrapping_add(1);
        let (protocol, most) = (self.options.protocol, self.options.max_request_bytes);
        let frame = codec::encode(protocol, C::NAME, self.sequence, request)?;
        let bytes = frame.len() - LENGTH_BYTES;
        if bytes > most {
            return Err(Failure::TooLarge { bytes, most });
        }
        self.stream.write_all(&frame).await.map_err(|error| Failure::Unsent(in_words(error)))?;
        // TLS may still buffer the last bytes; after an error it is unknown whether they were sent.
        self.stream.flush().await.map_err(lost)?;
        drop(frame);
        let message = self.read().await?;
        let most_bytes = self.options.max_reply_bytes.saturating_mul(DECODED_PER_FRAME);
        codec::decode(protocol, C::NAME, self.sequence, &message, most_bytes)
    }

    async fn read(&mut self) -> Result<Vec<u8>, Failure> {
        let mut length = [0; LENGTH_BYTES];
        self.stream.read_exact(&mut length).await.map_err(|error| self.unanswered(error))?;
        let bytes = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let most = self.options.max_reply_bytes;
        if bytes > most {
            return Err(match stranger(length) {
                Some(sentence) => Failure::Malformed(sentence),
                None => Failure::ReplyTooLarge { bytes, most },
            });
        }
        self.read_message(bytes).await.map_err(lost)
    }

    /// Returns the failure of a call that received no bytes.
    fn unanswered(&self, error: io::Error) -> Failure {
        let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
        if is_end && self.sequence == 1 {
            return Failure::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, AT_THE_FIRST_CALL));
        }
        lost(error)
    }

    /// Reads a message. The buffer grows with the data that arrives, and never beyond `bytes`,
    /// because the length is only a claim.
    async fn read_message(&mut self, bytes: usize) -> io::Result<Vec<u8>> {
        let mut message = Vec::new();
        while message.len() < bytes {
            let here = message.len();
            let more = here.max(FIRST_ROOM_BYTES).min(bytes.saturating_sub(here));
            message.reserve_exact(more);
            message.resize(here.saturating_add(more), 0);
            self.stream.read_exact(message.get_mut(here..).unwrap_or_default()).await?;
        }
        Ok(message)
    }
}

fn lost(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Failure::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, ENDED));
    }
    Failure::Lost(in_words(error))
}

/// Returns a sentence about the server if these bytes in place of a length show that it is not a
/// proxy. As a length they would be more than 150 MB.
fn stranger(start: [u8; LENGTH_BYTES]) -> Option<String> {
    match start {
        [b'H', b'T', b'T', b'P'] => {
            Some("an HTTP server answers there, not an Accumulo proxy".to_owned())
        }
        // A TLS record: alert or handshake, and the version.
        [0x15 | 0x16, 0x03, 0x00..=0x04, _] => {
            Some("the server requires TLS; configure TLS".to_owned())
        }
        // The first bytes of messages in the compact and the binary protocol.
        [0x82, second, ..] if second & 0x1F == 1 => Some(UNFRAMED.to_owned()),
        [0x80, 0x01, 0x00, _] => Some(UNFRAMED.to_owned()),
        text if text.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) => {
            Some(format!(
                "the answer begins with `{}`: another kind of server answers there, not an Accumulo proxy",
                text.escape_ascii()
            ))
        }
        _ => None,
    }
}

const ENDED: &str = "the proxy closed the connection before it answered";
const AT_THE_FIRST_CALL: &str = "the proxy closed the connection before it answered; at the first call of a \
                                 connection the cause may be the other Thrift protocol (binary \
                                 instead of compact, or compact instead of binary)";
const UNFRAMED: &str = "the server uses Thrift without frames; this client supports only the framed \
                        transport of an Accumulo proxy";
