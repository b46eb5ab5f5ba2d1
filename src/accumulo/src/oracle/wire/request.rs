//! Requests: their encoding, and their decoding by the server.

use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TMessageType, TOutputProtocol, TStructIdentifier, TType,
};

use super::{GET_TIMESTAMPS, IS_LEADER, invalid, read_struct, reader, writer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Requests `count` timestamps of the application with this id. A count of 0 returns the next
    /// timestamp without using it up.
    GetTimestamps { id: String, count: i32 },
    /// Asks whether the server leads.
    IsLeader,
    /// A method that the oracle does not have.
    Unknown { method: String },
}

/// Encodes a request with its number, which the reply repeats.
pub(crate) fn encode_request(sequence: i32, call: &Call) -> thrift::Result<Vec<u8>> {
    let mut message = Vec::with_capacity(64);
    let name = match call {
        Call::GetTimestamps { .. } => GET_TIMESTAMPS,
        Call::IsLeader => IS_LEADER,
        Call::Unknown { method } => method,
    };
    let mut out = writer(&mut message, name, TMessageType::Call, sequence)?;
    out.write_struct_begin(&TStructIdentifier::new("arguments"))?;
    if let Call::GetTimestamps { id, count } = call {
        out.write_field_begin(&TFieldIdentifier::new("id", TType::String, 1))?;
        out.write_string(id)?;
        out.write_field_begin(&TFieldIdentifier::new("num", TType::I32, 2))?;
        out.write_i32(*count)?;
    }
    out.write_field_stop()?;
    out.write_struct_end()?;
    Ok(message)
}

/// Decodes a request, and returns its number with it. Unknown fields are skipped; a missing
/// argument is an error, and so are bytes after the message.
pub(crate) fn decode_request(message: &[u8]) -> thrift::Result<(i32, Call)> {
    let mut rest = message;
    let mut input = reader(&mut rest)?;
    let header = input.read_message_begin()?;
    if header.message_type != TMessageType::Call {
        return Err(invalid("the message is not a call"));
    }
    let call = match header.name.as_str() {
        GET_TIMESTAMPS => read_arguments(&mut input)?,
        IS_LEADER => {
            input.skip(TType::Struct)?;
            Call::IsLeader
        }
        // Its arguments are not read.
        _ => return Ok((header.sequence_number, Call::Unknown { method: header.name })),
    };
    match rest {
        [] => Ok((header.sequence_number, call)),
        _ => Err(invalid("the request ends before its frame")),
    }
}

fn read_arguments(input: &mut dyn TInputProtocol) -> thrift::Result<Call> {
    let (mut id, mut count) = (None, None);
    read_struct(input, |field, kind, input| {
        match (field, kind) {
            (1, TType::String) => id = Some(input.read_string()?),
            (2, TType::I32) => count = Some(input.read_i32()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match (id, count) {
        (Some(id), Some(count)) => Ok(Call::GetTimestamps { id, count }),
        _ => Err(invalid("an argument is missing")),
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    const ID: &str = "5f181dad-19aa-4f22-9200-6dbb680a741c";
    const ONE: &str = "8221010d67657454696d657374616d7073182435663138316461642d313961612d346632322d393230302d3664626236383061373431631502 00";

    fn bytes(hex: &str) -> Vec<u8> {
        HEXLOWER.decode(hex.replace(' ', "").as_bytes()).unwrap()
    }

    fn get(count: i32) -> Call {
        Call::GetTimestamps { id: ID.to_owned(), count }
    }

    #[test]
    fn encodes_the_requests_of_java() {
        let ten = ONE
            .replace("82210", "8221ac020")
            .replace("ac02010d", "ac020d")
            .replace("1502 00", "1514 00");
        for (sequence, call, hex) in [
            (1, Call::IsLeader, "82 21 01 08 69734c6561646572 00"),
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
        let expected = Call::GetTimestamps { id: "abc".to_owned(), count: -7 };
        assert_eq!(decode_request(&bytes(long)).unwrap(), (5, expected));
    }

    #[test]
    fn reads_the_name_of_an_unknown_method() {
        let (_, call) = decode_request(&bytes("82 21 01 03 666f6f 00")).unwrap();
        let method = "foo".to_owned();
        assert_eq!(call, Call::Unknown { method });
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
}
