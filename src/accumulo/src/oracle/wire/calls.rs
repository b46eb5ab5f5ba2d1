//! Calls and their replies: the encoding of the sender, the decoding of the receiver, and their
//! exchange, one at a time.

use std::error::Error;
use std::sync::Arc;

use thrift::ApplicationErrorKind;
use thrift::protocol::{TMessageIdentifier, TMessageType};

use super::frame::{read_frame, write_frame};
use super::message::{Value, decode, encode, invalid, take};
use crate::oracle::net::TcpStream;

const GET_TIMESTAMPS: &str = "getTimestamps";
const IS_LEADER: &str = "isLeader";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Requests `count` timestamps of the application with this id. A count of 0 returns the next
    /// timestamp without using it up.
    GetTimestamps { id: Arc<str>, count: i32 },
    /// Asks whether the server leads.
    IsLeader,
    /// A method that the oracle does not have.
    Unknown { method: String },
}

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

/// Encodes a request with its number, which the reply repeats.
fn encode_request(sequence: i32, call: &Call) -> thrift::Result<Vec<u8>> {
    let (method, fields) = match call {
        Call::GetTimestamps { id, count } => {
            (GET_TIMESTAMPS, vec![(1, Value::Text((&**id).into())), (2, Value::I32(*count))])
        }
        Call::IsLeader => (IS_LEADER, Vec::new()),
        Call::Unknown { method } => (&**method, Vec::new()),
    };
    encode(&TMessageIdentifier::new(method, TMessageType::Call, sequence), &fields)
}

/// Decodes a request, and returns its number with it.
pub(crate) fn decode_request(message: &[u8]) -> thrift::Result<(i32, Call)> {
    let (header, mut fields) = decode(message)?;
    if header.message_type != TMessageType::Call {
        return Err(invalid("the message is not a call"));
    }
    let call = match &*header.name {
        GET_TIMESTAMPS => match (take(&mut fields, 1), take(&mut fields, 2)) {
            (Some(Value::Text(id)), Some(Value::I32(count))) => {
                Call::GetTimestamps { id: id.into(), count }
            }
            _ => return Err(invalid("an argument is missing")),
        },
        IS_LEADER => Call::IsLeader,
        _ => Call::Unknown { method: header.name },
    };
    Ok((header.sequence_number, call))
}

pub(crate) fn encode_reply(sequence: i32, reply: &Reply) -> thrift::Result<Vec<u8>> {
    let (method, kind, fields) = match reply {
        Reply::Stamps { first, horizon } => {
            let stamps = vec![(1, Value::I64(*first)), (2, Value::I64(*horizon))];
            (GET_TIMESTAMPS, TMessageType::Reply, vec![(0, Value::Struct(stamps))])
        }
        Reply::Leader(leads) => (IS_LEADER, TMessageType::Reply, vec![(0, Value::Bool(*leads))]),
        Reply::Exception { method, message } => {
            let kind = Value::I32(ApplicationErrorKind::UnknownMethod as i32);
            let error = vec![(1, Value::Text(message.into())), (2, kind)];
            (&**method, TMessageType::Exception, error)
        }
    };
    encode(&TMessageIdentifier::new(method, kind, sequence), &fields)
}

/// Decodes a reply. Returns its number with it.
fn decode_reply(message: &[u8]) -> thrift::Result<(i32, Reply)> {
    let (header, mut fields) = decode(message)?;
    let reply = match (header.message_type, &*header.name) {
        (TMessageType::Exception, _) => {
            let Some(Value::Text(message)) = take(&mut fields, 1) else {
                return Err(invalid("the exception has no message"));
            };
            Reply::Exception { method: header.name, message: message.into_owned() }
        }
        (TMessageType::Reply, GET_TIMESTAMPS) => {
            let Some(Value::Struct(mut stamps)) = take(&mut fields, 0) else {
                return Err(invalid("the reply has no result"));
            };
            match (take(&mut stamps, 1), take(&mut stamps, 2)) {
                (Some(Value::I64(first)), Some(Value::I64(horizon))) => {
                    Reply::Stamps { first, horizon }
                }
                _ => return Err(invalid("the reply has no timestamp or no horizon")),
            }
        }
        (TMessageType::Reply, IS_LEADER) => match take(&mut fields, 0) {
            Some(Value::Bool(leads)) => Reply::Leader(leads),
            _ => return Err(invalid("the reply has no result")),
        },
        _ => return Err(invalid("the message is not a reply of an oracle")),
    };
    Ok((header.sequence_number, reply))
}

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
    /// Connects to an oracle, and checks that it leads. The caller limits the time.
    pub(crate) async fn connect(address: &str) -> Result<Self, Cause> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut exchange = Self { stream, sequence: 0 };
        match exchange.call(&Call::IsLeader).await? {
            Reply::Leader(true) => Ok(exchange),
            _ => Err("it does not lead".into()),
        }
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

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "5f181dad-19aa-4f22-9200-6dbb680a741c";
    const ONE: &str = "8221010d67657454696d657374616d7073182435663138316461642d313961612d346632322d393230302d3664626236383061373431631502 00";

    fn bytes(hex: &str) -> Vec<u8> {
        HEXLOWER.decode(hex.replace(' ', "").as_bytes()).unwrap()
    }

    fn get(count: i32) -> Call {
        Call::GetTimestamps { id: ID.into(), count }
    }

    #[test]
    fn encodes_the_requests_of_java() {
        let ten = ONE
            .replace("82210", "8221ac020")
            .replace("ac02010d", "ac020d")
            .replace("1502 00", "1514 00");
        for (sequence, call, hex) in [
            (1, Call::IsLeader, "82 21 01 08 69734c6561646572 00"),
            (1, Call::Unknown { method: "foo".to_owned() }, "82 21 01 03 666f6f 00"),
            (1, get(1), ONE),
            (300, get(10), &ten),
        ] {
            let encoded = encode_request(sequence, &call).unwrap();
            assert_eq!(HEXLOWER.encode(&encoded), hex.replace(' ', ""));
            assert_eq!(decode_request(&encoded).unwrap(), (sequence, call));
        }
    }

    #[test]
    fn accepts_long_field_headers_and_unknown_fields() {
        // The fields 1 and 2 in the long form, and a field 3 with a list.
        let long = "82 21 05 0d 67657454696d657374616d7073 08 02 03 616263 05 04 0d 19 21 01 02 00";
        let expected = Call::GetTimestamps { id: "abc".into(), count: -7 };
        assert_eq!(decode_request(&bytes(long)).unwrap(), (5, expected));
    }

    #[test]
    fn rejects_damaged_requests() {
        let damaged = [
            "",
            "80 01 00 01 00000008 69734c6561646572 00000001 00",
            "82 22 01 08 69734c6561646572 00",
            "82 41 01 08 69734c6561646572 00",
            "82 21 01 08 69734c6561646572 00 00",
            "82 21 01 0d 67657454696d657374616d7073 15 02 00",
            "82 21 01 0d 67657454696d657374616d7073 18 ff ff ff ff 07 00",
        ];
        for hex in damaged {
            assert!(decode_request(&bytes(hex)).is_err(), "{hex}");
        }
        for end in 0..bytes(ONE).len() {
            assert!(decode_request(&bytes(ONE)[..end]).is_err(), "{end}");
        }
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
