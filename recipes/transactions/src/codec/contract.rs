//! The contract of a codec.

use std::borrow::Cow;

use super::error::CodecError;

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
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::codec::{Codec, Text};
    ///
    /// let mut bytes = b"count:".to_vec();
    /// Text.encode(&7_u64, &mut bytes)?;
    /// assert_eq!(bytes, b"count:7");
    /// # Ok::<(), fluo_recipes::codec::CodecError>(())
    /// ```
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Reads a value from all of the bytes.
    ///
    /// # Errors
    ///
    /// The bytes are not those of one value of the type.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::codec::{Codec, Ordered};
    ///
    /// let count: u16 = Ordered.decode(b"\x01\x02")?;
    /// assert_eq!(count, 258);
    /// assert!(Codec::<u16>::decode(&Ordered, b"\x01\x02\x03").is_err());
    /// # Ok::<(), fluo_recipes::codec::CodecError>(())
    /// ```
    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError>;

    /// Returns the name under which the configuration of an application stores the codec and its
    /// type, such as `text:u64`.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::codec::{Codec, Kryo, Text};
    ///
    /// assert_eq!(Codec::<u64>::name(&Text), "text:u64");
    /// assert_eq!(Codec::<i64>::name(&Kryo), "java.lang.Long");
    /// ```
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
/// # Examples
///
/// ```
/// use fluo_recipes::codec::{CodecError, KeyCodec, Text};
///
/// fn row<K>(codec: &impl KeyCodec<K>, key: &K) -> Result<Vec<u8>, CodecError> {
///     let mut row = b"wc:".to_vec();
///     codec.encode(key, &mut row)?;
///     Ok(row)
/// }
///
/// assert_eq!(row(&Text, &"cat".to_owned())?, b"wc:cat");
/// # Ok::<(), CodecError>(())
/// ```
///
/// A codec of values does not compile as a codec of keys:
///
/// ```compile_fail
/// # use fluo_recipes::codec::{Json, KeyCodec};
/// fn takes_keys(codec: impl KeyCodec<String>) {}
/// takes_keys(Json);
/// ```
pub trait KeyCodec<T>: Codec<T> {}
