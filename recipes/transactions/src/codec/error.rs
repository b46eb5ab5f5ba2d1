//! The error of a codec.

use std::error::Error as StdError;
use std::fmt;

use fluo_table::Excerpt;
use thiserror::Error;

/// An error of a codec: the value cannot be written, or the bytes are not those of a value.
///
/// The message is one sentence, and shows at most 60 bytes of the value. The source, if there is
/// one, is the error of the library that reads or writes the format.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct CodecError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl CodecError {
    /// Creates an error from its message: the cause first, then the remedy.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Creates an error from its message and the error that caused it. The message does not repeat
    /// the source: a caller prints both.
    #[must_use]
    pub fn with_source(
        message: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { message: message.into(), source: Some(source.into()) }
    }

    /// Creates an error about bytes from the rest of a sentence that begins with them.
    pub(super) fn for_bytes(bytes: &[u8], flaw: impl fmt::Display) -> Self {
        Self::new(format!("{} {flaw}", Excerpt::new(bytes)))
    }
}
