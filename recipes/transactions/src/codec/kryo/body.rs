//! The bytes of a value after its class.

use std::convert::identity;

use super::input::{Damage, Input};
use super::string::{read_string, write_string};
use super::varint::write_zigzag;

/// The reference marker of an object that occurs for the first time.
const FIRST: u8 = 1;

/// A type whose values Kryo writes after their class.
pub(super) trait Body: Sized {
    /// The class in Java, without its package.
    const CLASS: &'static str;
    /// The byte before a value: the id of the class and 2.
    const MARKER: u8;

    fn write(&self, bytes: &mut Vec<u8>);
    fn read(input: &mut Input<'_>) -> Result<Self, Damage>;
}

impl Body for String {
    const CLASS: &'static str = "String";
    const MARKER: u8 = 3;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(FIRST);
        write_string(self, bytes);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
        match input.byte()? {
            FIRST => read_string(input),
            other => Err(Damage::Reference(other)),
        }
    }
}

impl Body for i64 {
    const CLASS: &'static str = "Long";
    const MARKER: u8 = 9;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_zigzag(*self, bytes);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
        input.zigzag()
    }
}

impl Body for i32 {
    const CLASS: &'static str = "Integer";
    const MARKER: u8 = 2;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_zigzag(i64::from(*self), bytes);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
        Self::try_from(input.zigzag()?).map_err(|_| Damage::Range)
    }
}

impl Body for bool {
    const CLASS: &'static str = "Boolean";
    const MARKER: u8 = 5;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
        match input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Damage::Boolean(other)),
        }
    }
}

macro_rules! big_endian {
    ($($type:ident $class:literal $marker:literal $bits:expr;)*) => { $(
        impl Body for $type {
            const CLASS: &'static str = $class;
            const MARKER: u8 = $marker;

            fn write(&self, bytes: &mut Vec<u8>) {
                let bits: fn($type) -> _ = $bits;
                bytes.extend_from_slice(&bits(*self).to_be_bytes());
            }

            fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
                Ok(Self::from_be_bytes(input.array()?))
            }
        }
    )* };
}

// The bits of a float are always the same if it is not a number.
big_endian! {
    i8 "Byte" 6 identity;
    i16 "Short" 8 identity;
    f32 "Float" 4 |float| if float.is_nan() { 0x7fc0_0000 } else { float.to_bits() };
    f64 "Double" 10 |float| if float.is_nan() { 0x7ff8_0000_0000_0000 } else { float.to_bits() };
}
