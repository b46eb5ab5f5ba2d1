//! Bytes as they are.

use std::borrow::Cow;

use super::contract::{Codec, CodecError, KeyCodec};

/// The codec of bytes, such as `Bytes` and `Vec<u8>`, which writes them as they are. Reading never
/// fails, and copies the bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw;

impl<T: AsRef<[u8]> + From<Vec<u8>>> Codec<T> for Raw {
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(value.as_ref());
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError> {
        Ok(bytes.to_vec().into())
    }

    fn name(&self) -> Cow<'static, str> {
        "raw".into()
    }
}

impl<T: AsRef<[u8]> + From<Vec<u8>>> KeyCodec<T> for Raw {}
