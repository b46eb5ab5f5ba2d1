//! Numbers of variable length, least significant bits first.
//!
//! Each of the first eight bytes has 7 bits of the number, and its high bit is set if another byte
//! follows. The ninth byte has 8 bits. Signed numbers are turned into unsigned ones by zigzag: 0,
//! -1, 1, -2 become 0, 1, 2, 3.

use super::input::{Damage, Input};

/// The bit that is set if another byte follows.
const MORE: u8 = 0x80;
/// The maximum number of bytes of 7 bits.
const GROUPS: u32 = 8;

pub(super) fn write_varint(mut number: u64, bytes: &mut Vec<u8>) {
    for _ in 0..GROUPS {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low & !MORE);
            return;
        }
        bytes.push(low | MORE);
    }
    let [last, ..] = number.to_le_bytes();
    bytes.push(last);
}

pub(super) fn write_zigzag(number: i64, bytes: &mut Vec<u8>) {
    let zigzag = (number << 1) ^ (number >> 63);
    write_varint(zigzag.cast_unsigned(), bytes);
}

impl Input<'_> {
    pub(super) fn varint(&mut self) -> Result<u64, Damage> {
        let mut number = 0;
        for group in 0..GROUPS {
            let byte = self.byte()?;
            number |= u64::from(byte & !MORE) << (7 * group);
            if byte & MORE == 0 {
                return canonical(number, byte, group);
            }
        }
        let last = self.byte()?;
        canonical(number | u64::from(last) << (7 * GROUPS), last, GROUPS)
    }

    pub(super) fn zigzag(&mut self) -> Result<i64, Damage> {
        let zigzag = self.varint()?;
        let sign = -(zigzag & 1).cast_signed();
        Ok((zigzag >> 1).cast_signed() ^ sign)
    }
}

/// Returns the number, or an error if its last byte adds nothing to it.
fn canonical(number: u64, last: u8, group: u32) -> Result<u64, Damage> {
    if last == 0 && group > 0 {
        return Err(Damage::LongNumber);
    }
    Ok(number)
}
