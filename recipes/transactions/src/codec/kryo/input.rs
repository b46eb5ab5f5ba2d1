//! The bytes that are not read yet, and numbers of variable length.
//!
//! The least significant bits of a number come first. Each of the first eight bytes has 7 bits of
//! it, and its high bit is set if another byte follows. The ninth byte has 8 bits. Signed numbers
//! are turned into unsigned ones by zigzag: 0, -1, 1, -2 become 0, 1, 2, 3.

use thiserror::Error;

use fluo_table::counted;

const MORE: u8 = 0x80;
/// The maximum number of bytes of 7 bits.
const GROUPS: u32 = 8;

/// A flaw of bytes that Kryo cannot have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Damage {
    #[error("the bytes end too early")]
    Truncated,
    #[error("{} after the value", counted(*.0, "byte"))]
    Trailing(usize),
    #[error("a number is longer than necessary")]
    LongNumber,
    #[error("a number is out of the range of the class")]
    Range,
    #[error("the byte {0:#04x} is neither 0 nor 1")]
    Boolean(u8),
    #[error("its reference is {0}, not 1")]
    Reference(u8),
    #[error("the string is null")]
    NullString,
    #[error("a character is not in the form that Kryo writes")]
    Character,
    #[error("a surrogate is unpaired, so the string is not Unicode text")]
    Surrogate,
    #[error("the string is in another of Kryo's forms than its length requires")]
    Form,
}

#[derive(Debug)]
pub(super) struct Input<'b> {
    rest: &'b [u8],
}

impl<'b> Input<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(Damage::Truncated)?;
        self.rest = rest;
        Ok(*array)
    }

    pub(super) fn finish<T>(&self, value: T) -> Result<T, Damage> {
        match self.rest.len() {
            0 => Ok(value),
            rest => Err(Damage::Trailing(rest)),
        }
    }

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
