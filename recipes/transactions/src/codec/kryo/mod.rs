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
//! | `java.lang.Integer` | 0 | zigzag, then a varint of at most 5 bytes |
//! | `java.lang.String` | 1 | see `string.rs` |
//! | `java.lang.Float` | 2 | 4 bytes, big-endian |
//! | `java.lang.Boolean` | 3 | 1 byte, 0 or 1 |
//! | `java.lang.Byte` | 4 | 1 byte |
//! | `java.lang.Short` | 6 | 2 bytes, big-endian |
//! | `java.lang.Long` | 7 | zigzag, then a varint of at most 9 bytes |
//! | `java.lang.Double` | 8 | 8 bytes, big-endian |

mod body;
mod input;
mod string;
mod varint;

use std::borrow::Cow;

use fluo_table::Excerpt;

use self::body::Body;
use self::input::{Damage, Input};
use self::string::read_string;
use super::contract::{Codec, CodecError, KeyCodec};

/// The codec of the bytes that Kryo 3.0.3 writes by default, for tables shared with Java.
///
/// It is a codec of `String`, `i8` to `i64`, `f32`, `f64` and `bool`.
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
#[derive(Clone, Copy, Debug, Default)]
pub struct Kryo;

impl<T: Body> Codec<T> for Kryo {
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        bytes.push(T::MARKER);
        value.write(bytes);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<T, CodecError> {
        let mut input = Input::new(bytes);
        expect_class::<T>(&mut input).map_err(|flaw| CodecError::for_bytes(bytes, flaw))?;
        T::read(&mut input).and_then(|value| input.finish(value)).map_err(|damage| {
            let flaw = format!("is a damaged {}: {damage}", T::CLASS);
            CodecError::for_bytes(bytes, flaw)
        })
    }

    fn name(&self) -> Cow<'static, str> {
        format!("java.lang.{}", T::CLASS).into()
    }
}

impl KeyCodec<String> for Kryo {}
impl KeyCodec<i8> for Kryo {}
impl KeyCodec<i16> for Kryo {}
impl KeyCodec<i32> for Kryo {}
impl KeyCodec<i64> for Kryo {}
impl KeyCodec<bool> for Kryo {}

/// The classes that Kryo registers by default; the position of a class is its id.
const REGISTERED: [&str; 9] =
    ["Integer", "String", "Float", "Boolean", "Byte", "Character", "Short", "Long", "Double"];

/// Reads the class of a value, and returns what is wrong as the rest of a sentence if it is not the
/// expected one.
fn expect_class<T: Body>(input: &mut Input<'_>) -> Result<(), String> {
    let found = match input.varint() {
        Ok(marker) if marker == u64::from(T::MARKER) => return Ok(()),
        Ok(0) => "null".to_owned(),
        Ok(1) => named(input).unwrap_or_else(|_| "an object of a damaged class name".to_owned()),
        Ok(marker) => registered(marker - 2),
        Err(damage) => format!("no Kryo value: {damage}"),
    };
    Err(format!("is {found}, expected {}", with_article(T::CLASS)))
}

fn registered(id: u64) -> String {
    let class = usize::try_from(id).ok().and_then(|id| REGISTERED.get(id));
    let unknown = || format!("an object of the class that is registered as {id}");
    class.map_or_else(unknown, |class| with_article(class))
}

/// Describes a value whose class has no id: the number of the name and the name follow.
fn named(input: &mut Input<'_>) -> Result<String, Damage> {
    input.varint()?;
    let name = read_string(input)?;
    Ok(format!("an object of class {}", Excerpt::new(name.as_bytes())))
}

fn with_article(class: &str) -> String {
    let article = if class == "Integer" { "an" } else { "a" };
    format!("{article} {class}")
}
