//! Numbers of fixed width whose bytes sort as the numbers do.
//!
//! ```text
//!  unsigned   big-endian                       2_u16   00 02
//!  signed     big-endian, sign bit flipped    -2_i16   7f fe      2_i16   80 02
//!  float      negative: all bits flipped       -2_f32   3f ff ff ff
//!             otherwise: sign bit flipped       2_f32   c0 00 00 00
//!  bool       one byte                         false   00         true    01
//! ```

use std::borrow::Cow;

use fluo_table::counted;

use super::contract::{Codec, CodecError, KeyCodec};

/// The codec of fixed width whose bytes sort as the values do.
///
/// A number is written big-endian. The sign bit of a signed integer is flipped, so that negative
/// numbers sort before positive ones. Floats sort in the total order of IEEE 754, which is that of
/// `f64::total_cmp`: `-0.0` sorts before `0.0`, and every bit is kept. `false` is the byte 0 and
/// `true` the byte 1.
///
/// Floats are no keys: see [`KeyCodec`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordered;

/// Implements the codec of a type that is turned into an unsigned integer of the same order, and
/// back. An integer that is no value of the type is an error, the rest of a sentence.
macro_rules! ordered {
    ($type:ident, $unsigned:ident, $to:expr, $from:expr) => {
        impl Codec<$type> for Ordered {
            fn encode(&self, value: &$type, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
                let to: fn($type) -> $unsigned = $to;
                bytes.extend_from_slice(&to(*value).to_be_bytes());
                Ok(())
            }

            fn decode(&self, bytes: &[u8]) -> Result<$type, CodecError> {
                let from: fn($unsigned) -> Result<$type, &'static str> = $from;
                let value = from($unsigned::from_be_bytes(fixed(bytes, stringify!($type))?));
                value.map_err(|flaw| CodecError::for_bytes(bytes, flaw))
            }

            fn name(&self) -> Cow<'static, str> {
                concat!("ordered:", stringify!($type)).into()
            }
        }
    };
}

macro_rules! unsigned {
    ($($type:ident)*) => { $(
        ordered!($type, $type, |value| value, Ok);
        impl KeyCodec<$type> for Ordered {}
    )* };
}

macro_rules! signed {
    ($($type:ident $unsigned:ident,)*) => { $(
        ordered!(
            $type,
            $unsigned,
            |value| (value ^ $type::MIN).cast_unsigned(),
            |value| Ok(value.cast_signed() ^ $type::MIN)
        );
        impl KeyCodec<$type> for Ordered {}
    )* };
}

macro_rules! floats {
    ($($type:ident $unsigned:ident,)*) => { $(
        ordered!(
            $type,
            $unsigned,
            |value| {
                const SIGN: $unsigned = 1 << ($unsigned::BITS - 1);
                let bits = value.to_bits();
                if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
            },
            |value| {
                const SIGN: $unsigned = 1 << ($unsigned::BITS - 1);
                let bits = if value & SIGN == 0 { !value } else { value ^ SIGN };
                Ok($type::from_bits(bits))
            }
        );
    )* };
}

unsigned! { u8 u16 u32 u64 }
signed! { i8 u8, i16 u16, i32 u32, i64 u64, }
floats! { f32 u32, f64 u64, }

ordered!(bool, u8, u8::from, |byte| match byte {
    0 => Ok(false),
    1 => Ok(true),
    _ => Err("is not a bool, which is the byte 0 or 1"),
});
impl KeyCodec<bool> for Ordered {}

fn fixed<const N: usize>(bytes: &[u8], type_name: &str) -> Result<[u8; N], CodecError> {
    bytes.try_into().map_err(|_| {
        let found = counted(bytes.len(), "byte");
        let flaw = format!("has {found}, but type {type_name} has {N}");
        CodecError::for_bytes(bytes, flaw)
    })
}
