//! The bytes that are not read yet.

use thiserror::Error;

use fluo_table::counted;

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

/// The rest of the bytes of a value.
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
}
