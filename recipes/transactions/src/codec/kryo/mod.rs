//! The bytes of Kryo, the default serializer of Apache Fluo Recipes.
//!
//! ```text
//!  class        varint: the id of the class + 2; 0 for null, 1 for a class without an id
//!  reference    1, the first occurrence of an object; only for a String
//!  body         depends on the class
//!
//!   class ref  'a'  'b'|80       class  zigzag(-1)
//! +----+----+----+----+        +----+----+
//! | 03 | 01 | 61 | e2 |        | 09 | 01 |
//! +----+----+----+----+        +----+----+
//!  the String "ab"              the Long -1
//! ```
//!
//! | class | id | body |
//! |---|---|---|
//! | `Integer` | 0 | zigzag, then a varint of at most 5 bytes |
//! | `String` | 1 | see `string.rs` |
//! | `Float` | 2 | 4 bytes, big-endian |
//! | `Boolean` | 3 | 1 byte, 0 or 1 |
//! | `Byte` | 4 | 1 byte |
//! | `Short` | 6 | 2 bytes, big-endian |
//! | `Long` | 7 | zigzag, then a varint of at most 9 bytes |
//! | `Double` | 8 | 8 bytes, big-endian |

mod body;
mod class;
mod input;
mod string;
mod varint;

use std::borrow::Cow;

use self::body::Body;
use self::class::expect_class;
use self::input::Input;
use super::contract::{Codec, KeyCodec};
use super::error::CodecError;

/// The codec of the bytes that Kryo 3.0.3 writes by default, for tables shared with Java.
///
/// The bytes are those of `writeClassAndObject` with references and without required registration,
/// which is the default of Apache Fluo Recipes. They begin with the class of the value: `i32` is
/// Java's `Integer`, `i64` its `Long`, `f64` its `Double`, and so on.
///
/// Reading accepts only bytes that Kryo writes, so that a key has one form. `null`, bytes of
/// another class and a string with an unpaired surrogate, which Rust's `String` cannot hold, are
/// errors. A float that is not a number is written as Java's one `NaN`.
///
/// The name is that of the class in Java, such as `java.lang.Long`. Objects of other classes need
/// a codec of your own.
///
/// Floats are no keys: see [`KeyCodec`].
///
/// # Examples
///
/// ```
/// use fluo_recipes::codec::{Codec, Kryo};
///
/// let mut bytes = Vec::new();
/// Kryo.encode(&64_i64, &mut bytes)?;
/// assert_eq!(bytes, b"\x09\x80\x01");
///
/// let error = Codec::<String>::decode(&Kryo, &bytes).unwrap_err();
/// assert_eq!(error.to_string(), r"`\x09\x80\x01` is a Long, expected a String");
/// # Ok::<(), fluo_recipes::codec::CodecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Kryo;

macro_rules! codecs {
    ($($type:ty)*) => { $(
        impl Codec<$type> for Kryo {
            fn encode(&self, value: &$type, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
                bytes.push(<$type as Body>::CLASS.marker());
                value.write(bytes);
                Ok(())
            }

            fn decode(&self, bytes: &[u8]) -> Result<$type, CodecError> {
                decode(bytes)
            }

            fn name(&self) -> Cow<'static, str> {
                <$type as Body>::CLASS.java_name().into()
            }
        }
    )* };
}

macro_rules! key_codecs {
    ($($type:ty)*) => { $(
        impl KeyCodec<$type> for Kryo {}
    )* };
}

codecs! { String i8 i16 i32 i64 f32 f64 bool }
key_codecs! { String i8 i16 i32 i64 bool }

fn decode<T: Body>(bytes: &[u8]) -> Result<T, CodecError> {
    let mut input = Input::new(bytes);
    expect_class(&mut input, T::CLASS).map_err(|flaw| CodecError::for_bytes(bytes, flaw))?;
    let value = T::read(&mut input).and_then(|value| input.finish(value));
    value.map_err(|damage| {
        let flaw = format!("is a damaged {}: {damage}", T::CLASS.noun());
        CodecError::for_bytes(bytes, flaw)
    })
}
