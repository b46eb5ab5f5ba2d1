//! The requests of a client, one at a time.

use std::time::Duration;

use tokio::net::TcpStream;

use super::frame::{read_frame, write_frame};
use super::reply::{Reply, decode_reply};
use super::request::{Call, encode_request};

/// The time limit of a request, and of the rest of a reply.
const LIMIT: Duration = Duration::from_secs(10);

/// A connection to an oracle. It must be dropped after any failure, so that a late reply is never
/// taken for the reply to another request.
#[derive(Debug)]
pub(crate) struct Exchange {
    stream: TcpStream,
    sequence: i32,
}

impl Exchange {
    pub(crate) async fn connect(address: &str) -> Result<Self, String> {
        let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { stream, sequence: 0 })
    }

    /// Sends a call and returns its reply, or the reason why there is none as a part of a sentence.
    /// The caller limits the whole exchange.
    pub(crate) async fn call(&mut self, call: &Call) -> Result<Reply, String> {
        self.sequence = self.sequence.wrapping_add(1).max(1);
        let request = encode_request(self.sequence, call).map_err(|error| error.to_string())?;
        let sent = write_frame(&mut self.stream, &request, LIMIT).await;
        sent.map_err(|error| error.to_string())?;
        let read = read_frame(&mut self.stream, LIMIT).await;
        let message = read.map_err(|error| error.to_string())?;
        match decode_reply(&message) {
            Ok((sequence, reply)) if sequence == self.sequence => Ok(reply),
            Ok((sequence, _)) => {
                Err(format!("the reply has number {sequence} instead of {}", self.sequence))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
