//! Codecs: the ways to write keys and values as bytes.
//!
//! A recipe stores keys and values of types that the application chooses. A [`Codec`] turns a value
//! into bytes and back; a [`KeyCodec`] is a codec that is also fit for keys.
//!
//! | codec | types | bytes | keys |
//! |---|---|---|---|
//! | [`Text`] | `String`, integers, floats, `bool` | text as Java writes it | all but floats |
//! | [`Raw`] | `Bytes`, `Vec<u8>` | the bytes themselves | yes |
//! | [`Ordered`] | integers, floats, `bool` | fixed width, sorted as the values | all but floats |
//! | [`Json`] | every type with serde's traits | JSON text | no |
//! | [`Postcard`] | every type with serde's traits | compact, with a version | no |
//! | [`Kryo`] | `String`, `i8` to `i64`, floats, `bool` | those of Kryo in Java | all but floats |
//!
//! # Rules
//!
//! - **C1, inverse.** [`decode`](Codec::decode) of the bytes that [`encode`](Codec::encode) appends
//!   returns the value. Exceptions are the bits of a float that is not a number, and values that
//!   serde or its format changes, which [`Json`] describes.
//! - **C2, all of the bytes.** A codec reads all bytes or fails. Truncated bytes, additional bytes
//!   and bytes of another type are errors. No bytes cause a panic.
//! - **C3, keys.** A [`KeyCodec`] writes equal values as equal bytes, and different values as
//!   different bytes. Recipes compare keys by their bytes.
//! - **C4, name.** [`name`](Codec::name) never changes, so the configuration of an application can
//!   store it and compare it when the application is opened.
//!
//! # What it does not do
//!
//! A codec finds no type by its name: the program states the type, and the name only shows that two
//! programs state different ones. A codec stores no schema; see [`Json`] and [`Postcard`] for the
//! changes of a type that they tolerate.
//!
//! # Examples
//!
//! ```
//! use fluo_recipes::codec::{Codec, CodecError, Kryo, Ordered, Text};
//!
//! fn encoded<T>(codec: &impl Codec<T>, value: &T) -> Result<Vec<u8>, CodecError> {
//!     let mut bytes = Vec::new();
//!     codec.encode(value, &mut bytes)?;
//!     Ok(bytes)
//! }
//!
//! assert_eq!(encoded(&Text, &-12_i64)?, b"-12");
//! assert_eq!(encoded(&Ordered, &2_u32)?, b"\0\0\0\x02");
//! assert_eq!(encoded(&Kryo, &"ab".to_owned())?, b"\x03\x01a\xe2");
//!
//! let count: u64 = Text.decode(b"12")?;
//! assert_eq!(count, 12);
//! let error = Codec::<u64>::decode(&Text, b"12x").unwrap_err();
//! assert_eq!(error.to_string(), "`12x` is not a decimal number of type u64");
//! # Ok::<(), CodecError>(())
//! ```

mod contract;
mod java_float;
mod json;
mod kryo;
mod ordered;
mod postcard;
mod raw;
#[cfg(test)]
mod tests;
mod text;

pub use contract::{Codec, CodecError, KeyCodec};
pub use json::Json;
pub use kryo::Kryo;
pub use ordered::Ordered;
pub use postcard::Postcard;
pub use raw::Raw;
pub use text::Text;
