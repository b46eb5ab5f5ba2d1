//! One connection of a client.
//!
//! Each connection has its own buffer of at most one message. A request that must be refused (of
//! another application, for a negative or absurd number of timestamps, while the oracle does not
//! lead, or damaged) closes the connection without a reply: clients in Java repeat a call without a
//! pause if the reply is an exception.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::term::Term;
use crate::oracle::wire::{
    Call, FrameError, Reply, decode_request, encode_reply, encode_unknown_method, read_frame,
    write_frame,
};
use crate::telemetry::{self, REFUSED};

/// The time limit of the first request of a connection, of the rest of a frame, and of a reply. A
/// connection that has sent a valid request may be idle without limit, as clients expect.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest name of an unknown method that a reply repeats.
const MAX_METHOD_BYTES: usize = 100;

/// Serves a connection until it is closed, or until a request is refused.
pub(super) async fn serve(mut stream: TcpStream, term: Arc<Term>) {
    let mut message = Vec::new();
    let first = timeout(PATIENCE, read_frame(&mut stream, &mut message, PATIENCE));
    let mut read = first.await.unwrap_or(Err(FrameError::Stalled));
    while read.is_ok() {
        let Some(reply) = answer(&message, &term).await else {
            telemetry::count(REFUSED, 1);
            tracing::debug!("a request is refused");
            return;
        };
        if let Err(error) = write_frame(&mut stream, &reply, PATIENCE).await {
            tracing::debug!(%error, "a client is disconnected");
            return;
        }
        read = read_frame(&mut stream, &mut message, PATIENCE).await;
    }
    if let Err(error) = read {
        tracing::debug!(%error, "a client is disconnected");
    }
}

/// Returns the reply to a message, or `None` if the connection must be closed.
async fn answer(message: &[u8], term: &Term) -> Option<Vec<u8>> {
    let request = decode_request(message).ok()?;
    let reply = match request.call {
        Call::GetTimestamps { id, count } => term.stamps(&id, count).await?,
        Call::IsLeader => Reply::Leader(term.leads()),
        Call::Unknown { method } if method.len() <= MAX_METHOD_BYTES => {
            return encode_unknown_method(request.sequence, &method).ok();
        }
        Call::Unknown { .. } => return None,
    };
    encode_reply(request.sequence, &reply).ok()
}
