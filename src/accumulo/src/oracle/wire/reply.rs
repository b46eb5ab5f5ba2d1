//! Replies: their encoding by the server, and their decoding.

use thrift::protocol::{
    TCompactOutputProtocol, TFieldIdentifier, TInputProtocol, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{ApplicationError, ApplicationErrorKind};

use super::{GET_TIMESTAMPS, IS_LEADER, invalid, reader};

/// A result of the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Timestamps that begin at `first`, and the horizon.
    Stamps { first: i64, horizon: i64 },
    /// States whether the server leads.
    Leader(bool),
    /// The server reports a failure. Its connection stays usable.
    Exception(String),
}

/// Encodes the reply to the request with this number.
pub(crate) fn encode_reply(sequence: i32, reply: &Reply) -> thrift::Result<Vec<u8>> {
    match reply {
        Reply::Stamps { first, horizon } => encode_result(sequence, GET_TIMESTAMPS, |out| {
            out.write_field_begin(&TFieldIdentifier::new("success", TType::Struct, 0))?;
            out.write_struct_begin(&TStructIdentifier::new("Stamps"))?;
            out.write_field_begin(&TFieldIdentifier::new("first", TType::I64, 1))?;
            out.write_i64(*first)?;
            out.write_field_begin(&TFieldIdentifier::new("horizon", TType::I64, 2))?;
            out.write_i64(*horizon)?;
            out.write_field_stop()?;
            out.write_struct_end()
        }),
        Reply::Leader(leads) => encode_result(sequence, IS_LEADER, |out| {
            out.write_field_begin(&TFieldIdentifier::new("success", TType::Bool, 0))?;
            out.write_bool(*leads)
        }),
        Reply::Exception(message) => encode_exception(
            sequence,
            GET_TIMESTAMPS,
            ApplicationErrorKind::InternalError,
            message.clone(),
        ),
    }
}

/// Encodes the reply to a request for a method that the oracle does not have.
pub(crate) fn encode_unknown_method(sequence: i32, method: &str) -> thrift::Result<Vec<u8>> {
    let message = format!("Invalid method name: '{method}'");
    encode_exception(sequence, method, ApplicationErrorKind::UnknownMethod, message)
}

fn encode_result(
    sequence: i32,
    method: &str,
    result: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> thrift::Result<Vec<u8>> {
    let mut message = Vec::with_capacity(48);
    let mut out = TCompactOutputProtocol::new(&mut message);
    let header = TMessageIdentifier::new(method, TMessageType::Reply, sequence);
    out.write_message_begin(&header)?;
    out.write_struct_begin(&TStructIdentifier::new("result"))?;
    result(&mut out)?;
    out.write_field_stop()?;
    out.write_struct_end()?;
    out.write_message_end()?;
    Ok(message)
}

fn encode_exception(
    sequence: i32,
    method: &str,
    kind: ApplicationErrorKind,
    text: String,
) -> thrift::Result<Vec<u8>> {
    let mut message = Vec::with_capacity(64);
    let mut out = TCompactOutputProtocol::new(&mut message);
    let header = TMessageIdentifier::new(method, TMessageType::Exception, sequence);
    out.write_message_begin(&header)?;
    let error = ApplicationError::new(kind, text);
    thrift::Error::write_application_error_to_out_protocol(&error, &mut out)?;
    out.write_message_end()?;
    Ok(message)
}

/// Decodes a reply. Returns its number with it.
pub(crate) fn decode_reply(message: &[u8]) -> thrift::Result<(i32, Reply)> {
    let mut rest = message;
    let reply = read(&mut rest)?;
    match rest {
        [] => Ok(reply),
        _ => Err(invalid("the reply ends before its frame")),
    }
}

fn read(message: &mut &[u8]) -> thrift::Result<(i32, Reply)> {
    let mut input = reader(message)?;
    let header = input.read_message_begin()?;
    let reply = match (header.message_type, header.name.as_str()) {
        (TMessageType::Exception, _) => {
            let error = thrift::Error::read_application_error_from_in_protocol(&mut input)?;
            Reply::Exception(error.message)
        }
        (TMessageType::Reply, GET_TIMESTAMPS) => {
            read_result(&mut input, TType::Struct, read_stamps)?
        }
        (TMessageType::Reply, IS_LEADER) => {
            read_result(&mut input, TType::Bool, |input| input.read_bool().map(Reply::Leader))?
        }
        _ => return Err(invalid("the message is not a reply of an oracle")),
    };
    Ok((header.sequence_number, reply))
}

fn read_result(
    input: &mut dyn TInputProtocol,
    kind: TType,
    read: impl Fn(&mut dyn TInputProtocol) -> thrift::Result<Reply>,
) -> thrift::Result<Reply> {
    let mut reply = None;
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match field.field_type {
            TType::Stop => break,
            found if field.id == Some(0) && found == kind => reply = Some(read(input)?),
            other => input.skip(other)?,
        }
    }
    input.read_struct_end()?;
    reply.ok_or_else(|| invalid("the reply has no result"))
}

fn read_stamps(input: &mut dyn TInputProtocol) -> thrift::Result<Reply> {
    let (mut first, mut horizon) = (None, None);
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match (field.id, field.field_type) {
            (_, TType::Stop) => break,
            (Some(1), TType::I64) => first = Some(input.read_i64()?),
            (Some(2), TType::I64) => horizon = Some(input.read_i64()?),
            (_, other) => input.skip(other)?,
        }
    }
    input.read_struct_end()?;
    match (first, horizon) {
        (Some(first), Some(horizon)) => Ok(Reply::Stamps { first, horizon }),
        _ => Err(invalid("the reply has no timestamp or no horizon")),
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        HEXLOWER.decode(hex.replace(' ', "").as_bytes()).unwrap()
    }

    fn stamps(first: i64, horizon: i64) -> Reply {
        Reply::Stamps { first, horizon }
    }

    #[test]
    fn encodes_the_replies_of_java() {
        let vectors = [
            (1, Reply::Leader(true), "82 41 01 08 69734c6561646572 01 00 00"),
            (1, Reply::Leader(false), "82 41 01 08 69734c6561646572 02 00 00"),
            (1, stamps(5, 2), "82 41 01 0d 67657454696d657374616d7073 0c 00 16 0a 16 04 00 00"),
            (300, stamps(7, 2), "82 41 ac02 0d 67657454696d657374616d7073 0c 00 16 0e 16 04 00 00"),
            (
                1,
                Reply::Exception("Internal error processing getTimestamps".to_owned()),
                "82 61 01 0d 67657454696d657374616d7073 18 27 496e7465726e616c206572726f722070726f63657373696e672067657454696d657374616d7073 15 0c 00",
            ),
        ];
        for (sequence, reply, hex) in vectors {
            let encoded = encode_reply(sequence, &reply).unwrap();
            assert_eq!(HEXLOWER.encode(&encoded), hex.replace(' ', ""));
            assert_eq!(decode_reply(&encoded).unwrap(), (sequence, reply));
        }
    }

    #[test]
    fn encodes_the_reply_to_an_unknown_method_as_java() {
        let encoded = encode_unknown_method(1, "foo").unwrap();
        let hex = "82 61 01 03 666f6f 18 1a 496e76616c6964206d6574686f64206e616d653a2027666f6f27 15 02 00";
        assert_eq!(HEXLOWER.encode(&encoded), hex.replace(' ', ""));
    }

    #[test]
    fn rejects_damaged_replies() {
        let good = bytes("82 41 01 0d 67657454696d657374616d7073 0c 00 16 0a 16 04 00 00");
        for end in 0..good.len() {
            assert!(decode_reply(&good[..end]).is_err(), "{end}");
        }
        let damaged = [
            "82 21 01 08 69734c6561646572 00",
            "82 41 01 08 69734c6561646572 01 00 00 00",
            "82 41 01 08 69734c6561646572 00",
            "82 41 01 0d 67657454696d657374616d7073 0c 00 16 0a 00 00",
        ];
        for hex in damaged {
            assert!(decode_reply(&bytes(hex)).is_err(), "{hex}");
        }
    }
}
