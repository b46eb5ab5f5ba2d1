//! The protocol between the timestamp oracle and its clients, to the byte: the Thrift service
//! `org.apache.fluo.core.thrift.OracleService`.
//!
//! ```text
//! frame     length (4 bytes, big-endian), message
//! message   82, kind and version, sequence (varint), name (varint length, text), struct
//! kind      21 call, 41 reply, 61 exception
//! ```
//!
//! The messages use Thrift's compact protocol. There is one reply for each request, in the order of
//! the requests. The caller numbers its requests, and the reply has the number of its request.

mod exchange;
mod frame;
mod reply;
mod request;

use thrift::TConfiguration;
use thrift::protocol::{
    TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol, TMessageIdentifier,
    TMessageType, TOutputProtocol, TType,
};

pub(crate) use exchange::Exchange;
pub(crate) use frame::{read_frame, write_frame};
pub(crate) use reply::{Reply, encode_reply};
pub(crate) use request::{Call, decode_request};

const GET_TIMESTAMPS: &str = "getTimestamps";
const IS_LEADER: &str = "isLeader";

/// Creates a reader of a whole message. No string or container may claim more than the message has.
fn reader<'a, 'b>(
    message: &'a mut &'b [u8],
) -> thrift::Result<TCompactInputProtocol<&'a mut &'b [u8]>> {
    let limits = TConfiguration::builder()
        .max_message_size(None)
        .max_frame_size(None)
        .max_container_size(Some(message.len()))
        .max_string_size(Some(message.len()))
        .build()?;
    Ok(TCompactInputProtocol::with_config(message, limits))
}

fn writer<'a>(
    message: &'a mut Vec<u8>,
    method: &str,
    kind: TMessageType,
    sequence: i32,
) -> thrift::Result<TCompactOutputProtocol<&'a mut Vec<u8>>> {
    let mut out = TCompactOutputProtocol::new(message);
    out.write_message_begin(&TMessageIdentifier::new(method, kind, sequence))?;
    Ok(out)
}

/// Reads a struct. `read` reads a field whose number and type it expects, and returns whether it
/// did; all other fields are skipped.
fn read_struct(
    input: &mut dyn TInputProtocol,
    mut read: impl FnMut(i16, TType, &mut dyn TInputProtocol) -> thrift::Result<bool>,
) -> thrift::Result<()> {
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        if field.field_type == TType::Stop {
            return input.read_struct_end();
        }
        if !read(field.id.unwrap_or_default(), field.field_type, input)? {
            input.skip(field.field_type)?;
        }
    }
}

/// Returns the error for a message that is well-formed Thrift but not part of this protocol.
fn invalid(message: &str) -> thrift::Error {
    thrift::Error::Protocol(thrift::ProtocolError::new(
        thrift::ProtocolErrorKind::InvalidData,
        message,
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::reply::decode_reply;
    use super::*;

    proptest! {
        #[test]
        fn decodes_any_bytes_without_a_panic(
            head in prop::sample::select(vec![&b""[..], b"\x82\x21\x01\x0dgetTimestamps", b"\x82\x41\x01\x0dgetTimestamps"]),
            tail in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let message = [head, &tail].concat();
            let _ = decode_request(&message);
            let _ = decode_reply(&message);
        }
    }
}
