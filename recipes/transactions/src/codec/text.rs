//! Readable text: strings, numbers and booleans.

use std::borrow::Cow;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::{FromStr, from_utf8};

use super::contract::{Codec, CodecError, KeyCodec};
use super::java_float;

/// The codec of readable text, in the form of Java's `toString`.
///
/// | type | text | also read |
/// |---|---|---|
/// | `String` | its UTF-8 | |
/// | integers | decimal digits, a `-` before a negative number | a `+`, zeros before the digits |
/// | `bool` | `true` or `false` | capital letters |
/// | `f32`, `f64` | `1.0`, `1.0E7`, `9.99E-4`, `-0.0`, `NaN`, `Infinity` | see below |
///
/// Floats have the fewest digits that identify them, at least two, as Java writes them since
/// version 19. An earlier Java writes a few numbers with more digits, for example
/// `1.9999999999999998E23` for `2.0E23`; reading returns the same number.
///
/// Reading a float ignores blanks around it and one of the suffixes `f`, `F`, `d` and `D`, as Java
/// does. It rejects hexadecimal floats, which Java reads. Reading an integer rejects blanks, and
/// digits other than `0` to `9`. Text other than `true` and `false` is no boolean; Java reads it as
/// `false`.
///
/// Floats are no keys: see [`KeyCodec`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Text;

impl Codec<String> for Text {
    fn encode(&self, value: &String, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<String, CodecError> {
        let text = from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            CodecError::for_bytes(bytes, format_args!("is no UTF-8 text from byte {at} on"))
        })?;
        Ok(text.to_owned())
    }

    fn name(&self) -> Cow<'static, str> {
        "text:string".into()
    }
}

impl KeyCodec<String> for Text {}

/// Implements the codec of a type from its text and the function that reads it.
macro_rules! text {
    ($type:ident, $to:expr, $from:expr) => {
        impl Codec<$type> for Text {
            fn encode(&self, value: &$type, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
                let to: fn(&$type) -> String = $to;
                bytes.extend_from_slice(to(value).as_bytes());
                Ok(())
            }

            fn decode(&self, bytes: &[u8]) -> Result<$type, CodecError> {
                let from: fn(&[u8]) -> Result<$type, CodecError> = $from;
                from(bytes)
            }

            fn name(&self) -> Cow<'static, str> {
                concat!("text:", stringify!($type)).into()
            }
        }
    };
}

text!(bool, bool::to_string, boolean);
impl KeyCodec<bool> for Text {}

macro_rules! integers {
    ($($type:ident)*) => { $(
        text!($type, $type::to_string, |bytes| {
            integer(bytes, stringify!($type), [$type::MIN, $type::MAX])
        });
        impl KeyCodec<$type> for Text {}
    )* };
}

macro_rules! floats {
    ($($type:ident)*) => { $(
        text!($type, java_float::to_text, |bytes| {
            let float = from_utf8(bytes).ok().and_then(java_float::from_text);
            float.ok_or_else(|| no_number(bytes, stringify!($type)))
        });
    )* };
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 }
floats! { f32 f64 }

fn boolean(bytes: &[u8]) -> Result<bool, CodecError> {
    if bytes.eq_ignore_ascii_case(b"true") {
        Ok(true)
    } else if bytes.eq_ignore_ascii_case(b"false") {
        Ok(false)
    } else {
        Err(CodecError::for_bytes(bytes, "is neither `true` nor `false`"))
    }
}

/// Reads an integer of a type from its name and its limits.
fn integer<T>(bytes: &[u8], type_name: &str, [min, max]: [T; 2]) -> Result<T, CodecError>
where
    T: FromStr<Err = ParseIntError> + Display,
{
    let text = from_utf8(bytes).map_err(|_| no_number(bytes, type_name))?;
    text.parse().map_err(|error: ParseIntError| {
        if matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) {
            let flaw =
                format!("does not fit into type {type_name}, whose values are {min} to {max}");
            CodecError::for_bytes(bytes, flaw)
        } else {
            no_number(bytes, type_name)
        }
    })
}

fn no_number(bytes: &[u8], type_name: &str) -> CodecError {
    let flaw = format_args!("is not a decimal number of type {type_name}");
    CodecError::for_bytes(bytes, flaw)
}
