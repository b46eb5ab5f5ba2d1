//! The contract of a codec, and its error.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use fluo_table::Excerpt;
use thiserror::Error;

/// A way to write values of a type as bytes, and to read them back.
///
/// The [module page](super) has the rules C1 to C4, which every codec obeys. Implement this trait
/// for a format of your own. All workers of a recipe share one codec.
///
/// # Examples
///
/// A codec for percentages, one byte each:
///
/// ```
/// use std::borrow::Cow;
///
/// use fluo_recipes::codec::{Codec, CodecError};
///
/// struct Percent(u8);
/// struct PercentCodec;
///
/// impl Codec<Percent> for PercentCodec {
///     fn encode(&self, value: &Percent, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
///         bytes.push(value.0);
///         Ok(())
///     }
///
///     fn decode(&self, bytes: &[u8]) -> Result<Percent, CodecError> {
///         match *bytes {
///             [percent @ 0..=100] => Ok(Percent(percent)),
///             _ => Err(CodecError::new("a percentage is one byte of at most 100")),
///         }
///     }
///
///     fn name(&self) -> Cow<'static, str> {
///         "percent".into()
///     }
/// }
///
/// assert!(PercentCodec.decode(&[100]).is_ok());
/// assert!(PercentCodec.decode(&[101]).is_err());
/// ```
pub trait Codec<T>: Send + Sync + 'static {
    /// Appends the bytes of a value.
    ///
    /// # Errors
    ///
    /// The value cannot be written. Nothing is appended then.
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Reads a value from all of the bytes.
    ///
    /// # Errors
    ///
    /// The bytes are not those of one value of the type.
    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError>;

    /// Returns the name under which the configuration of an application stores the codec and its
    /// type, such as `text:u64`.
    fn name(&self) -> Cow<'static, str>;
}

/// A codec for keys: equal values have equal bytes, and different values have different bytes.
///
/// Recipes compare keys, choose their buckets and find their rows by their bytes alone. A codec
/// that writes one key in two ways splits its entries, and a codec that writes two keys in one way
/// mixes them.
///
/// [`Json`](super::Json) and [`Postcard`](super::Postcard) are no key codecs: a `HashMap` has no
/// fixed order, and a field that serde skips makes different values equal. Floats are no keys in
/// any codec, because `0.0 == -0.0`, and because a float that is not a number equals nothing.
///
/// A codec of values does not compile as a codec of keys:
///
/// ```compile_fail
/// # use fluo_recipes::codec::{Json, KeyCodec};
/// fn takes_keys(codec: impl KeyCodec<String>) {}
/// takes_keys(Json);
/// ```
pub trait KeyCodec<T>: Codec<T> {}

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
