//! Strings in Kryo's bytes.
//!
//! ```text
//!  ""                        81
//!  2 to 63 ASCII characters  the characters, with the high bit set in the last one
//!  any other text            length, then 1 to 3 bytes for each UTF-16 unit
//!  null                      80
//! ```
//!
//! The length is the number of UTF-16 units plus 1. Its first byte has the high bit set, then 0x40
//! if a varint with the other bits follows, then the lowest 6 bits. A character outside of the
//! Basic Multilingual Plane is two units, so it has 6 bytes, and the unit 0 is the byte 0.

use super::input::{Damage, Input};
use super::varint::write_varint;

/// The bit that is set in the first byte of a length, and in the last byte of ASCII text.
const HIGH: u8 = 0x80;
/// The bit that is set in the first byte of a length if more bits follow.
const MORE: u8 = 0x40;
/// The lowest 6 bits, which the first byte of a length and a continuation byte hold.
const LOW: u8 = 0x3f;

pub(super) fn write_string(text: &str, bytes: &mut Vec<u8>) {
    match text.as_bytes() {
        [start @ .., last] if is_short_ascii(text.as_bytes()) => {
            bytes.extend_from_slice(start);
            bytes.push(last | HIGH);
        }
        _ => {
            write_length(text.encode_utf16().count(), bytes);
            text.encode_utf16().for_each(|unit| write_unit(unit, bytes));
        }
    }
}

pub(super) fn read_string(input: &mut Input<'_>) -> Result<String, Damage> {
    let first = input.byte()?;
    if first & HIGH == 0 {
        return read_ascii(first, input);
    }
    let length = read_length(first, input)?;
    // A damaged length must not reserve more memory than the bytes can fill.
    let mut units = Vec::with_capacity(length.min(input.remaining()));
    for _ in 0..length {
        units.push(read_unit(input)?);
    }
    let text = String::from_utf16(&units).map_err(|_| Damage::Surrogate)?;
    if is_short_ascii(text.as_bytes()) {
        return Err(Damage::Form);
    }
    Ok(text)
}

fn is_short_ascii(text: &[u8]) -> bool {
    (2..64).contains(&text.len()) && text.is_ascii()
}

/// Reads text without a length from its second byte on.
fn read_ascii(first: u8, input: &mut Input<'_>) -> Result<String, Damage> {
    let mut text = String::from(char::from(first));
    loop {
        let byte = input.byte()?;
        text.push(char::from(byte & !HIGH));
        if byte & HIGH != 0 {
            break;
        }
    }
    if is_short_ascii(text.as_bytes()) { Ok(text) } else { Err(Damage::Form) }
}

fn write_length(units: usize, bytes: &mut Vec<u8>) {
    let length = u64::try_from(units).unwrap_or(u64::MAX) + 1;
    let [low, ..] = length.to_le_bytes();
    match length >> 6 {
        0 => bytes.push(HIGH | low),
        rest => {
            bytes.push(HIGH | MORE | low & LOW);
            write_varint(rest, bytes);
        }
    }
}

/// Reads the length of a text in UTF-16 units from its second byte on.
fn read_length(first: u8, input: &mut Input<'_>) -> Result<usize, Damage> {
    let mut length = u64::from(first & LOW);
    if first & MORE != 0 {
        let rest = u32::try_from(input.varint()?).map_err(|_| Damage::Range)?;
        if rest == 0 {
            return Err(Damage::LongNumber);
        }
        length |= u64::from(rest) << 6;
    }
    let units = length.checked_sub(1).ok_or(Damage::NullString)?;
    usize::try_from(units).map_err(|_| Damage::Range)
}

fn write_unit(unit: u16, bytes: &mut Vec<u8>) {
    let from = |shift: u32| {
        let [byte, _] = (unit >> shift).to_le_bytes();
        byte
    };
    let continuation = |shift: u32| HIGH | from(shift) & LOW;
    match unit {
        0..=0x7f => bytes.push(from(0)),
        0x80..=0x7ff => bytes.extend_from_slice(&[0xc0 | from(6), continuation(0)]),
        _ => bytes.extend_from_slice(&[0xe0 | from(12), continuation(6), continuation(0)]),
    }
}

/// Reads a UTF-16 unit, which must have as few bytes as possible.
fn read_unit(input: &mut Input<'_>) -> Result<u16, Damage> {
    let first = input.byte()?;
    let (unit, least) = match first {
        0..=0x7f => (u16::from(first), 0),
        0xc0..=0xdf => (u16::from(first & 0x1f) << 6 | continuation(input)?, 0x80),
        0xe0..=0xef => {
            let high = u16::from(first & 0x0f) << 12 | continuation(input)? << 6;
            (high | continuation(input)?, 0x800)
        }
        _ => return Err(Damage::Character),
    };
    if unit < least {
        return Err(Damage::Character);
    }
    Ok(unit)
}

/// Reads 6 bits of a UTF-16 unit.
fn continuation(input: &mut Input<'_>) -> Result<u16, Damage> {
    let byte = input.byte()?;
    if byte & !LOW == HIGH { Ok(u16::from(byte & LOW)) } else { Err(Damage::Character) }
}
