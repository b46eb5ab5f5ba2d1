//! A message: its header, and the fields of one struct.

use std::borrow::Cow;

use thrift::protocol::{
    TCompactInputProtocol, TCompactOutputProtocol, TFieldIdentifier, TInputProtocol,
    TMessageIdentifier, TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{ProtocolError, ProtocolErrorKind, Result, TConfiguration};

/// The maximum depth of the structs that are read. Deeper ones are skipped.
const DEPTH: u32 = 2;

pub(super) type Fields<'a> = Vec<(i16, Value<'a>)>;

#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Bool(bool),
    I32(i32),
    I64(i64),
    Text(Cow<'a, str>),
    Struct(Fields<'a>),
}

impl Value<'_> {
    fn kind(&self) -> TType {
        match self {
            Self::Bool(_) => TType::Bool,
            Self::I32(_) => TType::I32,
            Self::I64(_) => TType::I64,
            Self::Text(_) => TType::String,
            Self::Struct(_) => TType::Struct,
        }
    }
}

pub(super) fn encode(header: &TMessageIdentifier, fields: &[(i16, Value<'_>)]) -> Result<Vec<u8>> {
    let mut message = Vec::with_capacity(64);
    let mut out = TCompactOutputProtocol::new(&mut message);
    out.write_message_begin(header)?;
    write_fields(&mut out, fields)?;
    Ok(message)
}

fn write_fields(out: &mut dyn TOutputProtocol, fields: &[(i16, Value<'_>)]) -> Result<()> {
    // The compact protocol has no names.
    out.write_struct_begin(&TStructIdentifier::new(""))?;
    for (number, value) in fields {
        out.write_field_begin(&TFieldIdentifier::new("", value.kind(), *number))?;
        match value {
            Value::Bool(value) => out.write_bool(*value)?,
            Value::I32(value) => out.write_i32(*value)?,
            Value::I64(value) => out.write_i64(*value)?,
            Value::Text(value) => out.write_string(value)?,
            Value::Struct(fields) => write_fields(out, fields)?,
        }
    }
    out.write_field_stop()?;
    out.write_struct_end()
}

/// Decodes a whole message. Skips fields of other types; bytes after the struct are an error.
pub(super) fn decode(message: &[u8]) -> Result<(TMessageIdentifier, Fields<'static>)> {
    // No string or container may claim more than the message has.
    let limits = TConfiguration::builder()
        .max_message_size(None)
        .max_frame_size(None)
        .max_container_size(Some(message.len()))
        .max_string_size(Some(message.len()))
        .build()?;
    let mut rest = message;
    let mut input = TCompactInputProtocol::with_config(&mut rest, limits);
    let header = input.read_message_begin()?;
    let fields = read_fields(&mut input, DEPTH)?;
    if rest.is_empty() {
        Ok((header, fields))
    } else {
        Err(invalid("the message ends before its frame"))
    }
}

fn read_fields(input: &mut dyn TInputProtocol, depth: u32) -> Result<Fields<'static>> {
    let mut fields = Fields::new();
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        let value = match field.field_type {
            TType::Stop => break,
            TType::Bool => Value::Bool(input.read_bool()?),
            TType::I32 => Value::I32(input.read_i32()?),
            TType::I64 => Value::I64(input.read_i64()?),
            TType::String => {
                let text = input.read_bytes()?;
                Value::Text(String::from_utf8_lossy(&text).into_owned().into())
            }
            TType::Struct if depth > 1 => Value::Struct(read_fields(input, depth - 1)?),
            other => {
                input.skip(other)?;
                continue;
            }
        };
        fields.push((field.id.unwrap_or_default(), value));
    }
    input.read_struct_end()?;
    Ok(fields)
}

/// Removes the field with a number. If several have it, the last one counts.
pub(super) fn take<'a>(fields: &mut Fields<'a>, number: i16) -> Option<Value<'a>> {
    let index = fields.iter().rposition(|(found, _)| *found == number)?;
    Some(fields.swap_remove(index).1)
}

/// Returns the error for a message that is well-formed Thrift but not part of this protocol.
pub(super) fn invalid(message: &str) -> thrift::Error {
    ProtocolError::new(ProtocolErrorKind::InvalidData, message).into()
}
