//! The error of a codec.

use std::error::Error as StdError;
use std::fmt;

use fluo_table::Excerpt;

/// An error of a codec: the value cannot be written, or the bytes are not those of a value.
///
/// The message is one sentence, and shows at most 60 bytes of the value. The source, if there is
/// one, is the error of the library that reads or writes the format.
///
/// # Examples
///
/// ```
/// use fluo_recipes::codec::{Codec, Text};
///
/// let error = Codec::<u8>::decode(&Text, b"300").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`300` does not fit into type u8, whose values are 0 to 255"
/// );
/// ```
#[derive(Debug)]
pub struct CodecError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl CodecError {
    /// Creates an error from its message: the cause first, then the remedy.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::codec::CodecError;
    ///
    /// let error = CodecError::new("`x` is no percentage");
    /// assert_eq!(error.to_string(), "`x` is no percentage");
    /// ```
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Creates an error from its message and the error that caused it.
    ///
    /// The message does not repeat the source: a caller prints both.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::error::Error;
    ///
    /// use fluo_recipes::codec::CodecError;
    ///
    /// let cause = "x".parse::<u8>().unwrap_err();
    /// let error = CodecError::with_source("`x` is no percentage", cause);
    /// assert_eq!(error.to_string(), "`x` is no percentage");
    /// assert_eq!(error.source().unwrap().to_string(), "invalid digit found in string");
    /// ```
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

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for CodecError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}
