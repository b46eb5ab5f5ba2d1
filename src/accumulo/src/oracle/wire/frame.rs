//! Frames: a length of 4 bytes, big-endian, and a message.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// The maximum length of a message in either direction. Servers in Java close a connection that
/// sends a longer one.
const MAX_MESSAGE_BYTES: usize = 2_048;
/// The time limit of the rest of a frame after its first byte, of the write of a frame, and of the
/// first request of a connection.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Reads the message of a frame. Waits for the first byte without limit.
pub(crate) async fn read_frame(stream: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>> {
    let first = stream.read_u8().await.map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            Error::new(ErrorKind::UnexpectedEof, "the other side closed the connection")
        }
        _ => error,
    })?;
    let rest = async {
        let mut others = [0; 3];
        stream.read_exact(&mut others).await?;
        let [second, third, fourth] = others;
        let mut message = vec![0; checked(u32::from_be_bytes([first, second, third, fourth]))?];
        stream.read_exact(&mut message).await?;
        Ok(message)
    };
    timeout(PATIENCE, rest).await.map_err(|_| stalled())?
}

pub(crate) async fn write_frame(
    stream: &mut (impl AsyncWrite + Unpin),
    message: &[u8],
) -> Result<()> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    checked(length)?;
    let frame = [&length.to_be_bytes(), message].concat();
    timeout(PATIENCE, stream.write_all(&frame)).await.map_err(|_| stalled())?
}

/// Rejects the length of an empty message, and of one that is too long.
fn checked(length: u32) -> Result<usize> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if (1..=MAX_MESSAGE_BYTES).contains(&length) {
        return Ok(length);
    }
    let message = format!("a frame claims {length} bytes; a message has 1 to {MAX_MESSAGE_BYTES}");
    Err(Error::new(ErrorKind::InvalidData, message))
}

fn stalled() -> Error {
    Error::new(ErrorKind::TimedOut, "the other side stopped in the middle of a frame")
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    async fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        let (mut near, mut far) = duplex(8_192);
        far.write_all(bytes).await.unwrap();
        read_frame(&mut near).await
    }

    #[tokio::test]
    async fn reads_the_frames_that_it_writes() {
        let (mut near, mut far) = duplex(8_192);
        for length in [1, 13, MAX_MESSAGE_BYTES] {
            let sent = vec![7; length];
            write_frame(&mut far, &sent).await.unwrap();
            assert_eq!(read_frame(&mut near).await.unwrap(), sent);
        }
        drop(far);
        let error = read_frame(&mut near).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn rejects_a_length_before_it_reads_the_message() {
        for length in [0, -1, 2_049, i32::MAX, i32::MIN] {
            let error = read(&length.to_be_bytes()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_wait_for_the_rest_of_a_frame_without_limit() {
        for bytes in [&b"\0"[..], b"\0\0\0\x05", b"\0\0\0\x05abc"] {
            let (mut near, mut far) = duplex(64);
            far.write_all(bytes).await.unwrap();
            let error = read_frame(&mut near).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        }
    }
}
