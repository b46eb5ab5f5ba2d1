//! Frames: a length of 4 bytes, big-endian, and a message.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::MAX_MESSAGE_BYTES;

/// The reason why a frame cannot be read or written.
#[derive(Debug)]
pub(crate) enum FrameError {
    /// The other side closed the connection between two frames.
    Closed,
    /// The frame is empty or longer than [`MAX_MESSAGE_BYTES`].
    Length(i32),
    /// The rest of the frame did not arrive, or could not be sent, in time.
    Stalled,
    /// The connection failed.
    Io(io::Error),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Closed => f.write_str("the other side closed the connection"),
            Self::Length(length) => {
                write!(f, "a frame claims {length} bytes; a message has 1 to {MAX_MESSAGE_BYTES}")
            }
            Self::Stalled => f.write_str("the other side stopped in the middle of a frame"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the message of a frame into `message`. Waits for the first byte without limit, and for the
/// others up to `patience`.
pub(crate) async fn read_frame(
    stream: &mut (impl AsyncRead + Unpin),
    message: &mut Vec<u8>,
    patience: Duration,
) -> Result<(), FrameError> {
    let mut first = [0; 1];
    if stream.read(&mut first).await? == 0 {
        return Err(FrameError::Closed);
    }
    let [first] = first;
    let rest = read_rest(stream, first, message);
    timeout(patience, rest).await.map_err(|_| FrameError::Stalled)?
}

async fn read_rest(
    stream: &mut (impl AsyncRead + Unpin),
    first: u8,
    message: &mut Vec<u8>,
) -> Result<(), FrameError> {
    let mut others = [0; 3];
    stream.read_exact(&mut others).await?;
    let [second, third, fourth] = others;
    let claimed = i32::from_be_bytes([first, second, third, fourth]);
    let length = usize::try_from(claimed).unwrap_or(0);
    if !(1..=MAX_MESSAGE_BYTES).contains(&length) {
        return Err(FrameError::Length(claimed));
    }
    message.clear();
    message.resize(length, 0);
    stream.read_exact(message).await?;
    Ok(())
}

/// Writes a message as a frame, within `patience`.
pub(crate) async fn write_frame(
    stream: &mut (impl AsyncWrite + Unpin),
    message: &[u8],
    patience: Duration,
) -> Result<(), FrameError> {
    let length = i32::try_from(message.len()).unwrap_or(i32::MAX);
    if message.is_empty() || message.len() > MAX_MESSAGE_BYTES {
        return Err(FrameError::Length(length));
    }
    let frame = [&length.to_be_bytes(), message].concat();
    let written = async {
        stream.write_all(&frame).await?;
        stream.flush().await
    };
    let written = timeout(patience, written).await;
    Ok(written.map_err(|_| FrameError::Stalled)??)
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(50);

    async fn read(bytes: &[u8]) -> Result<Vec<u8>, FrameError> {
        let (mut near, mut far) = duplex(8_192);
        far.write_all(bytes).await.unwrap();
        let mut message = Vec::new();
        read_frame(&mut near, &mut message, PATIENCE).await?;
        Ok(message)
    }

    #[tokio::test]
    async fn reads_the_frames_that_it_writes() {
        let (mut near, mut far) = duplex(8_192);
        let mut message = Vec::new();
        for length in [1, 13, MAX_MESSAGE_BYTES] {
            let sent = vec![7; length];
            write_frame(&mut far, &sent, PATIENCE).await.unwrap();
            read_frame(&mut near, &mut message, PATIENCE).await.unwrap();
            assert_eq!(message, sent);
        }
        drop(far);
        let error = read_frame(&mut near, &mut message, PATIENCE).await;
        assert!(matches!(error, Err(FrameError::Closed)));
    }

    #[tokio::test]
    async fn rejects_a_length_before_it_reads_the_message() {
        for length in [0, -1, 2_049, i32::MAX, i32::MIN] {
            let error = read(&length.to_be_bytes()).await.unwrap_err();
            assert!(matches!(error, FrameError::Length(found) if found == length));
        }
    }

    #[tokio::test]
    async fn does_not_wait_for_the_rest_of_a_frame_without_limit() {
        for bytes in [&b"\0"[..], b"\0\0\0\x05", b"\0\0\0\x05abc"] {
            let (mut near, mut far) = duplex(64);
            far.write_all(bytes).await.unwrap();
            let error = read_frame(&mut near, &mut Vec::new(), PATIENCE).await;
            assert!(matches!(error, Err(FrameError::Stalled)));
        }
    }
}
