//! Encodings of rows and keys on lines of text.

use std::borrow::Cow;

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

/// The encoding of bytes on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    /// Unchanged; they cannot contain a newline
    #[default]
    Text,
    /// Two hex digits for each byte
    Hex,
    /// Base64 with padding
    Base64,
}

impl Encoding {
    pub(crate) fn decode(self, line: &[u8]) -> Result<Cow<'_, [u8]>> {
        match self {
            Self::Text => Ok(Cow::Borrowed(line)),
            Self::Hex => {
                decoded(HEXLOWER_PERMISSIVE.decode(line), "hex: two of 0-9a-f for each byte")
            }
            Self::Base64 => decoded(BASE64.decode(line), "base64 with its padding"),
        }
    }

    pub(crate) fn encode(self, bytes: &[u8], line: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Text if memchr::memchr(b'\n', bytes).is_some() => {
                bail!(
                    "it contains a newline, which a line of text cannot show; use --encoding hex or base64"
                )
            }
            Self::Text => line.extend_from_slice(bytes),
            Self::Hex => line.extend_from_slice(HEXLOWER.encode(bytes).as_bytes()),
            Self::Base64 => line.extend_from_slice(BASE64.encode(bytes).as_bytes()),
        }
        Ok(())
    }
}

fn decoded(
    result: Result<Vec<u8>, data_encoding::DecodeError>,
    expected: &str,
) -> Result<Cow<'static, [u8]>> {
    let bytes = result.map_err(|error| anyhow!("it is not {expected} ({error})"))?;
    Ok(Cow::Owned(bytes))
}
