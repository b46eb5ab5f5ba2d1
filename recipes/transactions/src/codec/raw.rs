//! Bytes as they are.

use std::borrow::Cow;

use fluo_table::Bytes;

use super::contract::{Codec, KeyCodec};
use super::error::CodecError;

/// The codec of bytes, which writes them as they are.
///
/// `Bytes` and `Vec<u8>` have the same bytes, so both have the name `raw`. Reading never fails, and
/// copies the bytes.
///
/// # Examples
///
/// ```
/// use fluo_recipes::codec::{Codec, Raw};
///
/// let mut bytes = Vec::new();
/// Raw.encode(&vec![0, 255], &mut bytes)?;
/// assert_eq!(bytes, [0, 255]);
/// # Ok::<(), fluo_recipes::codec::CodecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw;

const NAME: &str = "raw";

impl Codec<Bytes> for Raw {
    fn encode(&self, value: &Bytes, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(value);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Bytes, CodecError> {
        Ok(Bytes::copy_from_slice(bytes))
    }

    fn name(&self) -> Cow<'static, str> {
        NAME.into()
    }
}

impl KeyCodec<Bytes> for Raw {}

impl Codec<Vec<u8>> for Raw {
    fn encode(&self, value: &Vec<u8>, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.extend_from_slice(value);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
        Ok(bytes.to_vec())
    }

    fn name(&self) -> Cow<'static, str> {
        NAME.into()
    }
}

impl KeyCodec<Vec<u8>> for Raw {}
