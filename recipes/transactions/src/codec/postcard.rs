//! The compact format of postcard, after a version byte.
//!
//! The text `cat` is `01 03 63 61 74`: the version, the length, the letters.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use fluo_table::{Excerpt, counted};

use super::contract::{Codec, CodecError};

const VERSION: u8 = 1;

/// The codec of postcard's compact bytes, for every type that serde can write and read.
///
/// The first byte is the version of the format, 1; another version is an error. The rest is the
/// stable format of postcard 1, which stores no names of fields: a type whose fields change needs a
/// new codec or another column. Variants may be added at the end of an enum. The name is `postcard`
/// for every type: it contains no name of a type of Rust, which a refactoring would change.
///
/// Postcard is not a [`KeyCodec`](super::KeyCodec): the same map can be written in two orders, and
/// serde's attributes can write two values in one way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Postcard;

impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for Postcard {
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        let body = ::postcard::to_allocvec(value).map_err(|error| {
            CodecError::with_source("the value cannot be written by postcard", error)
        })?;
        bytes.push(VERSION);
        bytes.extend_from_slice(&body);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError> {
        let flaw = match bytes {
            [] => "has no version byte of the postcard codec".to_owned(),
            [VERSION, body @ ..] => match ::postcard::take_from_bytes(body) {
                Ok((value, [])) => return Ok(value),
                Ok((_, rest)) => format!("has {} after the value", counted(rest.len(), "byte")),
                Err(error) => {
                    let bytes = Excerpt::new(bytes);
                    let message = format!("{bytes} is not a postcard value of the expected type");
                    return Err(CodecError::with_source(message, error));
                }
            },
            [version, ..] => format!(
                "has version {version} of the postcard codec, and only version {VERSION} can be read"
            ),
        };
        Err(CodecError::for_bytes(bytes, flaw))
    }

    fn name(&self) -> Cow<'static, str> {
        "postcard".into()
    }
}
