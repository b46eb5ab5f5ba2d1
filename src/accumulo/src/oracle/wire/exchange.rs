//! The requests of a client, one at a time.

use std::error::Error;

use tokio::net::TcpStream;

use super::calls::{Call, Reply, decode_reply, encode_request};
use super::frame::{read_frame, write_frame};

/// The reason why there is no reply. Its message is a part of a sentence.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// A connection to an oracle. It must be dropped after any failure, so that a late reply is never
/// taken for the reply to another request.
#[derive(Debug)]
pub(crate) struct Exchange {
    stream: TcpStream,
    sequence: i32,
}

impl Exchange {
    pub(crate) async fn connect(address: &str) -> Result<Self, Cause> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, sequence: 0 })
    }

    /// Sends a call and returns its reply. The caller limits the whole exchange.
    pub(crate) async fn call(&mut self, call: &Call) -> Result<Reply, Cause> {
        self.sequence = self.sequence.wrapping_add(1).max(1);
        write_frame(&mut self.stream, &encode_request(self.sequence, call)?).await?;
        match decode_reply(&read_frame(&mut self.stream).await?)? {
            (sequence, reply) if sequence == self.sequence => Ok(reply),
            (sequence, _) => {
                Err(format!("the reply has number {sequence} instead of {}", self.sequence).into())
            }
        }
    }
}
