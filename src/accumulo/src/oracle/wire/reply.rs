//! Replies: their encoding by the server, and their decoding.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TMessageType, TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{ApplicationError, ApplicationErrorKind};

use super::{GET_TIMESTAMPS, IS_LEADER, invalid, read_struct, reader, writer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Timestamps that begin at `first`, and the horizon.
    Stamps { first: i64, horizon: i64 },
    /// States whether the server leads.
    Leader(bool),
    /// The server reports a failure. Its connection stays usable.
    Exception { method: String, message: String },
}

impl Reply {
    /// Creates the reply to a request for a method that the oracle does not have.
    pub(crate) fn unknown_method(method: String) -> Self {
        Self::Exception { message: format!("Invalid method name: '{method}'"), method }
    }
}

pub(crate) fn encode_reply(sequence: i32, reply: &Reply) -> thrift::Result<Vec<u8>> {
    let mut message = Vec::with_capacity(64);
    let (method, kind) = match reply {
        Reply::Stamps { .. } => (GET_TIMESTAMPS, TMessageType::Reply),
        Reply::Leader(_) => (IS_LEADER, TMessageType::Reply),
        Reply::Exception { method, .. } => (&**method, TMessageType::Exception),
    };
    let mut out = writer(&mut message, method, kind, sequence)?;
    if let Reply::Exception { message: text, .. } = reply {
        let error = ApplicationError::new(ApplicationErrorKind::UnknownMethod, text.clone());
        thrift::Error::write_application_error_to_out_protocol(&error, &mut out)?;
        return Ok(message);
    }
    out.write_struct_begin(&TStructIdentifier::new("result"))?;
    match reply {
        Reply::Stamps { first, horizon } => {
            out.write_field_begin(&TFieldIdentifier::new("success", TType::Struct, 0))?;
            out.write_struct_begin(&TStructIdentifier::new("Stamps"))?;
            out.write_field_begin(&TFieldIdentifier::new("first", TType::I64, 1))?;
            out.write_i64(*first)?;
            out.write_field_begin(&TFieldIdentifier::new("horizon", TType::I64, 2))?;
            out.write_i64(*horizon)?;
            out.write_field_stop()?;
            out.write_struct_end()?;
        }
        Reply::Leader(leads) => {
            out.write_field_begin(&TFieldIdentifier::new("success", TType::Bool, 0))?;
            out.write_bool(*leads)?;
        }
        Reply::Exception { .. } => {}
    }
    out.write_field_stop()?;
    out.write_struct_end()?;
    Ok(message)
}

/// Decodes a reply. Returns its number with it.
pub(crate) fn decode_reply(message: &[u8]) -> thrift::Result<(i32, Reply)> {
    let mut rest = message;
    let mut input = reader(&mut rest)?;
    let header = input.read_message_begin()?;
    let mut reply = None;
    match (header.message_type, header.name.as_str()) {
        (TMessageType::Exception, _) => {
            let error = thrift::Error::read_application_error_from_in_protocol(&mut input)?;
            reply = Some(Reply::Exception { method: header.name, message: error.message });
        }
        (TMessageType::Reply, GET_TIMESTAMPS) => read_struct(&mut input, |field, kind, input| {
            let is_result = (field, kind) == (0, TType::Struct);
            if is_result {
                reply = Some(read_stamps(input)?);
            }
            Ok(is_result)
        })?,
        (TMessageType::Reply, IS_LEADER) => read_struct(&mut input, |field, kind, input| {
            let is_result = (field, kind) == (0, TType::Bool);
            if is_result {
                reply = Some(Reply::Leader(input.read_bool()?));
            }
            Ok(is_result)
        })?,
        _ => return Err(invalid("the message is not a reply of an oracle")),
    }
    let reply = reply.ok_or_else(|| invalid("the reply has no result"))?;
    match rest {
        [] => Ok((header.sequence_number, reply)),
        _ => Err(invalid("the reply ends before its frame")),
    }
}

fn read_stamps(input: &mut dyn TInputProtocol) -> thrift::Result<Reply> {
    let (mut first, mut horizon) = (None, None);
    read_struct(input, |field, kind, input| {
        match (field, kind) {
            (1, TType::I64) => first = Some(input.read_i64()?),
            (2, TType::I64) => horizon = Some(input.read_i64()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
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
                Reply::unknown_method("foo".to_owned()),
                "82 61 01 03 666f6f 18 1a 496e76616c6964206d6574686f64206e616d653a2027666f6f27 15 02 00",
            ),
        ];
        for (sequence, reply, hex) in vectors {
            let encoded = encode_reply(sequence, &reply).unwrap();
            assert_eq!(HEXLOWER.encode(&encoded), hex.replace(' ', ""));
            assert_eq!(decode_reply(&encoded).unwrap(), (sequence, reply));
        }
    }

    #[test]
    fn reads_the_exceptions_of_java() {
        let text = "Internal error processing getTimestamps";
        let message = [
            &bytes("82 61 01 0d 67657454696d657374616d7073 18 27")[..],
            text.as_bytes(),
            &bytes("15 0c 00"),
        ];
        let (method, message_text) = ("getTimestamps".to_owned(), text.to_owned());
        let reply = Reply::Exception { method, message: message_text };
        assert_eq!(decode_reply(&message.concat()).unwrap(), (1, reply));
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
