//! A server that sends exactly the bytes that a test specifies, without following the protocol by
//! itself.

use std::future::Future;
use std::io;

use accumulo_proxy::{Credentials, Protocol, ProxyClient, ProxyOptions};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier,
    TMessageType, TOutputProtocol, TSetIdentifier, TStructIdentifier, TType,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server on its own port. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) address: String,
    accepting: JoinHandle<()>,
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Raw {
    /// Starts a server that calls `serve` with each connection.
    pub(crate) async fn start<F, S>(serve: F) -> Self
    where
        F: Fn(TcpStream) -> S + Send + 'static,
        S: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // An error is expected if a test closes the connection early.
                tokio::spawn(serve(stream));
            }
        });
        Self { address, accepting }
    }

    /// Starts a server that answers each request with the bytes of `answer`, including the length.
    pub(crate) async fn answering<F>(answer: F) -> Self
    where
        F: Fn(&Asked) -> Vec<u8> + Clone + Send + Sync + 'static,
    {
        Self::start(move |stream| answer_all(stream, answer.clone())).await
    }

    /// Returns settings for a client that makes one attempt.
    pub(crate) fn settings(&self) -> ProxyOptions {
        ProxyOptions::new(&self.address, Credentials::shared_secret("hush"))
            .tries(std::num::NonZeroUsize::MIN)
    }

    /// Returns a client that makes one attempt and uses `protocol`.
    pub(crate) fn client(&self, protocol: Protocol) -> ProxyClient {
        ProxyClient::lazy(self.settings().protocol(protocol))
    }
}

/// The header and the bytes of a request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) sequence: i32,
    pub(crate) message: Vec<u8>,
}

/// Answers requests until the client closes the connection.
pub(crate) async fn answer_all<S, F>(mut stream: S, answer: F) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
    F: Fn(&Asked) -> Vec<u8>,
{
    loop {
        let asked = read_request(&mut stream).await?;
        stream.write_all(&answer(&asked)).await?;
        stream.flush().await?;
    }
}

pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Asked> {
    let length = usize::try_from(stream.read_u32().await?).unwrap();
    let mut message = vec![0; length];
    stream.read_exact(&mut message).await?;
    let head = match message[0] {
        0x82 => TCompactInputProtocol::new(&message[..]).read_message_begin(),
        _ => TBinaryInputProtocol::new(&message[..], true).read_message_begin(),
    };
    let head = head.unwrap();
    Ok(Asked { name: head.name, sequence: head.sequence_number, message })
}

/// Waits until the client closes the connection.
pub(crate) async fn until_closed(mut stream: impl AsyncRead + Unpin) -> io::Result<()> {
    let mut nowhere = [0; 256];
    while stream.read(&mut nowhere).await? > 0 {}
    Ok(())
}

/// Encodes a message with its length.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&length.to_be_bytes()[..], message].concat()
}

/// Encodes a frame with one message, whose body `write` writes.
pub(crate) fn message(
    protocol: Protocol,
    name: &str,
    kind: TMessageType,
    sequence: i32,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut output: Box<dyn TOutputProtocol + '_> = match protocol {
        Protocol::Compact => Box::new(TCompactOutputProtocol::new(&mut bytes)),
        Protocol::Binary => Box::new(TBinaryOutputProtocol::new(&mut bytes, true)),
    };
    output.write_message_begin(&TMessageIdentifier::new(name, kind, sequence)).unwrap();
    write(&mut *output).unwrap();
    drop(output);
    framed(&bytes)
}

/// Encodes the reply to `asked`: a structure whose fields `write` writes.
pub(crate) fn reply(
    protocol: Protocol,
    asked: &Asked,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> Vec<u8> {
    message(protocol, &asked.name, TMessageType::Reply, asked.sequence, |output| {
        structure(output, write)
    })
}

/// Writes a structure whose fields `write` writes.
pub(crate) fn structure(
    output: &mut dyn TOutputProtocol,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> thrift::Result<()> {
    output.write_struct_begin(&TStructIdentifier::new("any"))?;
    write(output)?;
    output.write_field_stop()?;
    output.write_struct_end()
}

/// Writes a field whose value `write` writes.
pub(crate) fn field(
    output: &mut dyn TOutputProtocol,
    kind: TType,
    id: i16,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> thrift::Result<()> {
    output.write_field_begin(&TFieldIdentifier::new("any", kind, id))?;
    write(output)?;
    output.write_field_end()
}

/// Begins a container of this kind, of `size` elements.
pub(crate) fn begin(
    output: &mut dyn TOutputProtocol,
    container: TType,
    element: TType,
    size: i32,
) -> thrift::Result<()> {
    match container {
        TType::List => output.write_list_begin(&TListIdentifier::new(element, size)),
        TType::Set => output.write_set_begin(&TSetIdentifier::new(element, size)),
        _ => output.write_map_begin(&TMapIdentifier::new(element, element, size)),
    }
}
