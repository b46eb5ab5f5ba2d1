//! The bytes of a field, which keep its order and mark its end.
//!
//! ```text
//!  kind              bytes, ascending
//!  text, bytes       as they are, each byte 00 written 00 ff; then 00 00
//!  signed, time      8 bytes, big-endian, the sign bit flipped
//!  unsigned          8 bytes, big-endian
//!  float             8 bytes of IEEE 754, big-endian; the sign bit flipped, or all bits if negative
//!
//!  descending        the complement of all of these bytes, the end included
//! ```
//!
//! No written field is a prefix of another of its kind. So keys are ordered by their first field,
//! then by their second, and a key begins with the bytes of some leading fields if and only if it
//! has these fields.
//!
//! The float `-0.0` is written as `0.0`, because the two are equal. Every NaN is written as the
//! quiet NaN without a sign, `7f f8 00 ..` before the flip, which sorts after infinity. Other bytes
//! are rejected when they are read.

use fluo_table::{Escaped, Excerpt};

use super::field::{Field, FieldKind, FieldSettings};
use crate::key_design::escape;

const SIGN: u64 = 1 << 63;
const NAN: u64 = 0x7ff8_0000_0000_0000;
const END: [u8; 2] = [0, 0];

pub(super) fn write(value: &Field, mask: u8, key: &mut Vec<u8>) {
    let write_ended = |bytes: &[u8], key: &mut Vec<u8>| {
        escape::write(bytes, key);
        key.extend_from_slice(&END);
    };
    write_masked(key, mask, |key| match value {
        Field::Text(text) => write_ended(text.as_bytes(), key),
        Field::Bytes(bytes) => write_ended(bytes, key),
        Field::Signed(number) | Field::Time(number) => {
            key.extend_from_slice(&(number.cast_unsigned() ^ SIGN).to_be_bytes());
        }
        Field::Unsigned(number) => key.extend_from_slice(&number.to_be_bytes()),
        Field::Float(number) => key.extend_from_slice(&float_bits(*number).to_be_bytes()),
    });
}

/// Appends the common beginning of the written forms of all texts that begin with `beginning`.
pub(super) fn write_beginning(beginning: &[u8], mask: u8, key: &mut Vec<u8>) {
    write_masked(key, mask, |key| escape::write(beginning, key));
}

fn write_masked(key: &mut Vec<u8>, mask: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let before = key.len();
    write(key);
    key.iter_mut().skip(before).for_each(|byte| *byte ^= mask);
}

/// Returns the bits of a float, ordered as the numbers are.
fn float_bits(number: f64) -> u64 {
    let bits = match number {
        _ if number.is_nan() => NAN,
        0.0 => 0,
        _ => number.to_bits(),
    };
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}

fn float_of(bits: u64) -> f64 {
    f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}

/// Returns the value at the start of the bytes, and the bytes after it.
pub(super) fn read<'a>(
    field: &FieldSettings,
    written: &'a [u8],
) -> Result<(Field, &'a [u8]), String> {
    let mask = field.mask();
    if matches!(field.kind, FieldKind::Text | FieldKind::Bytes) {
        let mut bytes = Vec::new();
        let end = escape::read(written, mask, &mut bytes).and_then(|end| end.split_first());
        let (_, rest) = end.filter(|(byte, _)| **byte ^ mask == 0).ok_or_else(|| {
            format!("it has no end (`{}`)", Escaped(&END.map(|byte| byte ^ mask)))
        })?;
        if field.kind == FieldKind::Bytes {
            return Ok((Field::Bytes(bytes.into()), rest));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| format!("{} is not UTF-8 text", Excerpt::new(error.as_bytes())))?;
        return Ok((Field::Text(text), rest));
    }
    let (bytes, rest) = written
        .split_first_chunk::<8>()
        .ok_or_else(|| format!("it needs 8 bytes, and {} are left", written.len()))?;
    let bits = u64::from_be_bytes(bytes.map(|byte| byte ^ mask));
    let signed = (bits ^ SIGN).cast_signed();
    let value = match field.kind {
        FieldKind::Signed => Field::Signed(signed),
        FieldKind::Time => Field::Time(signed),
        FieldKind::Float if float_bits(float_of(bits)) == bits => Field::Float(float_of(bits)),
        FieldKind::Float => {
            return Err("it is a NaN or a zero in a form that is never written".to_owned());
        }
        FieldKind::Unsigned | FieldKind::Text | FieldKind::Bytes => Field::Unsigned(bits),
    };
    Ok((value, rest))
}
