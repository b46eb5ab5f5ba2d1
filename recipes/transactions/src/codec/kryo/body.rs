//! The bytes of a value after its class.

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

macro_rules! bodies {
    ($($type:ident $class:literal $marker:literal: $write:expr, $read:expr;)*) => { $(
        impl Body for $type {
            const CLASS: &'static str = $class;
            const MARKER: u8 = $marker;

            fn write(&self, bytes: &mut Vec<u8>) {
                let write: fn(&$type, &mut Vec<u8>) = $write;
                write(self, bytes);
            }

            fn read(input: &mut Input<'_>) -> Result<Self, Damage> {
                let read: fn(&mut Input<'_>) -> Result<$type, Damage> = $read;
                read(input)
            }
        }
    )* };
}

bodies! {
    String "String" 3: |text, bytes| write_text(text, bytes), read_text;
    i64 "Long" 9: |number, bytes| write_zigzag(*number, bytes), |input| input.zigzag();
    i32 "Integer" 2: |number, bytes| write_zigzag(i64::from(*number), bytes), read_integer;
    bool "Boolean" 5: |value, bytes| bytes.push(u8::from(*value)), read_boolean;
    i8 "Byte" 6: |byte, bytes| bytes.extend(byte.to_be_bytes()),
        |input| input.array().map(i8::from_be_bytes);
    i16 "Short" 8: |short, bytes| bytes.extend(short.to_be_bytes()),
        |input| input.array().map(i16::from_be_bytes);
    f32 "Float" 4: |float, bytes| bytes.extend(float_bits(*float).to_be_bytes()),
        |input| input.array().map(f32::from_be_bytes);
    f64 "Double" 10: |double, bytes| bytes.extend(double_bits(*double).to_be_bytes()),
        |input| input.array().map(f64::from_be_bytes);
}

fn write_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.push(FIRST);
    write_string(text, bytes);
}

fn read_text(input: &mut Input<'_>) -> Result<String, Damage> {
    match input.byte()? {
        FIRST => read_string(input),
        other => Err(Damage::Reference(other)),
    }
}

fn read_integer(input: &mut Input<'_>) -> Result<i32, Damage> {
    i32::try_from(input.zigzag()?).map_err(|_| Damage::Range)
}

fn read_boolean(input: &mut Input<'_>) -> Result<bool, Damage> {
    match input.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Damage::Boolean(other)),
    }
}

/// Returns the bits of a float, which are always the same if it is not a number.
fn float_bits(float: f32) -> u32 {
    if float.is_nan() { 0x7fc0_0000 } else { float.to_bits() }
}

/// Returns the bits of a double, which are always the same if it is not a number.
fn double_bits(double: f64) -> u64 {
    if double.is_nan() { 0x7ff8_0000_0000_0000 } else { double.to_bits() }
}
