//! Messages: the encoding of calls and the decoding of replies.

use std::io;
use std::time::Duration;

use thrift::ApplicationErrorKind;
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
};
use thrift::{ProtocolErrorKind, TConfiguration};

use super::interface::{Reader, WireValue};
use crate::error::ErrorKind;
use crate::options::Protocol;

/// Size of the length before each message.
pub(super) const LENGTH_BYTES: usize = 4;
/// Maximum characters of a name in an error. The names of calls are shorter, but an unknown server
/// may send any name.
const SHOWN_NAME_CHARS: usize = 40;
/// Maximum characters of the proxy's reason for a refused call in an error.
const SHOWN_REASON_CHARS: usize = 400;

/// The reason why a call failed, and its progress.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request is longer than a frame may be; nothing was sent.
    TooLarge { bytes: usize, most: usize },
    /// The request could not be written as Thrift; nothing was sent.
    Unwritable(String),
    /// The connection broke before the complete request was sent: the proxy will not execute it.
    Unsent(io::Error),
    /// The connection broke after the request was sent: the proxy may have executed it.
    Lost(io::Error),
    /// No reply arrived in this time, and another proxy may answer: the proxy may have executed it.
    Silent(Duration),
    /// The reply is longer than `most`.
    ReplyTooLarge { bytes: usize, most: usize },
    /// The reply cannot be decoded, for the reason in the sentence.
    Malformed(String),
    /// The proxy rejected the message itself, or failed internally.
    Refused(String),
    /// The proxy does not have the call.
    UnknownCall(String),
    /// The reply contains an exception, of this kind.
    Thrown(ErrorKind, String),
}

/// Encodes the frame of a call: length and message. Does not check the length against a limit.
pub(super) fn encode<R: WireValue>(
    protocol: Protocol,
    name: &str,
    sequence: i32,
    request: &R,
) -> Result<Vec<u8>, Failure> {
    let mut frame = vec![0; LENGTH_BYTES];
    let mut output: Box<dyn TOutputProtocol + '_> = match protocol {
        Protocol::Compact => Box::new(TCompactOutputProtocol::new(&mut frame)),
        Protocol::Binary => Box::new(TBinaryOutputProtocol::new(&mut frame, true)),
    };
    let message = TMessageIdentifier::new(name, TMessageType::Call, sequence);
    let written = output
        .write_message_begin(&message)
        .and_then(|()| request.write(&mut *output))
        .and_then(|()| output.write_message_end())
        .and_then(|()| output.flush());
    drop(output);
    written.map_err(|error| Failure::Unwritable(error.to_string()))?;
    let length = u32::try_from(frame.len() - LENGTH_BYTES).unwrap_or(u32::MAX);
    let place = frame.first_chunk_mut::<LENGTH_BYTES>();
    *place.expect("the frame begins with its length") = length.to_be_bytes();
    Ok(frame)
}

/// Decodes the reply to the call `name` with number `sequence`. The reply and its decoded form take
/// at most `most_bytes` of memory.
pub(crate) fn decode<R: WireValue>(
    protocol: Protocol,
    name: &str,
    sequence: i32,
    message: &[u8],
    most_bytes: usize,
) -> Result<R, Failure> {
    let limits = TConfiguration::builder()
        .max_message_size(None)
        .max_frame_size(None)
        .max_container_size(Some(message.len()))
        .max_string_size(Some(message.len()))
        .build()
        .map_err(|error| malformed(&error))?;
    let mut rest = message;
    // The message is in memory twice: its strings are copied.
    let left = most_bytes.saturating_sub(message.len().saturating_mul(2));
    let mut input: Box<dyn TInputProtocol + '_> = match protocol {
        Protocol::Compact => Box::new(TCompactInputProtocol::with_config(&mut rest, limits)),
        Protocol::Binary => Box::new(TBinaryInputProtocol::with_config(&mut rest, true, limits)),
    };
    let reply = read(Reader::new(&mut *input, left), name, sequence)?;
    drop(input);
    match rest.len() {
        0 => Ok(reply),
        left => Err(Failure::Malformed(format!(
            "the reply is damaged: it ends {left} bytes before its frame"
        ))),
    }
}

fn read<R: WireValue>(mut reader: Reader<'_>, name: &str, sequence: i32) -> Result<R, Failure> {
    let message = reader.input.read_message_begin().map_err(|error| malformed(&error))?;
    if message.message_type == TMessageType::Exception {
        return Err(refusal(reader.input));
    }
    // A reply to another call must never be returned for this one.
    if message.message_type != TMessageType::Reply
        || message.name != name
        || message.sequence_number != sequence
    {
        let found: String = message.name.chars().take(SHOWN_NAME_CHARS).collect();
        return Err(Failure::Malformed(format!(
            "expected the reply to `{name}` number {sequence}, found `{}` number {}",
            found.escape_default(),
            message.sequence_number
        )));
    }
    R::read(&mut reader).map_err(|error| malformed(&error))
}

fn refusal(input: &mut dyn TInputProtocol) -> Failure {
    match thrift::Error::read_application_error_from_in_protocol(input) {
        Ok(error) if error.kind == ApplicationErrorKind::UnknownMethod => Failure::UnknownCall(
            format!("the proxy refused the call: it has no such call ({})", shown(&error.message)),
        ),
        Ok(error) => {
            Failure::Refused(format!("the proxy refused the call: {}", shown(&error.message)))
        }
        Err(error) => malformed(&error),
    }
}

/// Returns the start of a message of the proxy as one line: control characters are escaped, quotes
/// are unchanged.
pub(crate) fn shown(message: &str) -> String {
    if message.is_empty() {
        return "no reason given".to_owned();
    }
    let mut line = String::new();
    for character in message.chars().take(SHOWN_REASON_CHARS) {
        match character {
            '\'' | '"' => line.push(character),
            _ => line.extend(character.escape_debug()),
        }
    }
    line
}

fn malformed(error: &thrift::Error) -> Failure {
    Failure::Malformed(match error {
        thrift::Error::Protocol(error) if error.kind == ProtocolErrorKind::BadVersion => {
            "the reply uses the other Thrift protocol: set binary instead of compact, or compact instead of binary"
                .to_owned()
        }
        thrift::Error::Protocol(error) => format!("the reply is damaged: {}", error.message),
        thrift::Error::Transport(_) => "the reply ends in the middle of a value".to_owned(),
        thrift::Error::Application(error) => format!("the reply is damaged: {}", error.message),
        thrift::Error::User(error) => format!("the reply is damaged: {error}"),
    })
}
