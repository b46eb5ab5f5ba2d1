//! One connection of a client.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;

use crate::request::Request;
use crate::state::{Served, Shared, locked};
use crate::wire::Reader;

/// Serves a connection until it is closed. Returns whether the link must be cut. No answer and no
/// event is sent while `is_held`.
pub(crate) async fn serve(
    stream: TcpStream,
    state: &Shared,
    link: usize,
    is_held: watch::Receiver<bool>,
) -> bool {
    let (from, to) = stream.into_split();
    let (frames, queue) = unbounded_channel();
    let connection = locked(state).connect(frames);
    let mut writing = pin!(write(to, queue, is_held));
    // The writer ends when the session ends, or moves to another connection.
    let served = tokio::select! {
        served = read(from, state, link, connection) => Some(served),
        _ = &mut writing => None,
    };
    locked(state).disconnect(connection);
    match served {
        Some(Ok(Served::Closed)) => {
            // The last answers are sent before the connection ends.
            let _ = writing.await;
            false
        }
        served => matches!(served, Some(Ok(Served::Lost))),
    }
}

async fn read(
    mut from: OwnedReadHalf,
    state: &Shared,
    link: usize,
    connection: u64,
) -> io::Result<Served> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let first = frame(&mut from).await?;
    let mut fields = Reader(&first);
    let (_protocol, _seen) = (fields.i32(), fields.i64());
    let timeout = fields.i32().and_then(|millis| u64::try_from(millis).ok());
    let number = fields.i64().ok_or_else(invalid)?;
    let timeout = Duration::from_millis(timeout.ok_or_else(invalid)?);
    let session = locked(state).open(connection, link, number, timeout);
    loop {
        let message = frame(&mut from).await?;
        let mut fields = Reader(&message);
        let id = fields.i32().ok_or_else(invalid)?;
        let code = fields.i32().ok_or_else(invalid)?;
        let request = Request::decode(code, fields.0).ok_or_else(invalid)?;
        let Some(session) = session else { continue };
        let served = locked(state).serve((connection, link, session), id, &request);
        if served != Served::Answered {
            return Ok(served);
        }
    }
}

async fn frame(from: &mut OwnedReadHalf) -> io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    let mut message = vec![0; usize::try_from(length).unwrap_or_default()];
    from.read_exact(&mut message).await?;
    Ok(message)
}

async fn write(
    mut to: OwnedWriteHalf,
    mut queue: UnboundedReceiver<Vec<u8>>,
    mut is_held: watch::Receiver<bool>,
) -> io::Result<()> {
    while let Some(frame) = queue.recv().await {
        // The sender lives as long as the link.
        let _ = is_held.wait_for(|is_held| !is_held).await;
        to.write_all(&frame).await?;
    }
    Ok(())
}
