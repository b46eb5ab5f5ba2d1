//! The salt: a few bytes before the row that decide its location in the table.

mod decimal;
mod digest;
mod modulo;
mod random;

use std::borrow::Cow;

use fluo_table::Bytes;

pub(super) use self::digest::DigestDigits;
pub use self::digest::{Digest, DigestSide};
pub(super) use self::modulo::Buckets;
pub use self::modulo::HashInput;
pub(super) use self::random::{RandomBuckets, SaltSource};
use super::error::DesignError;
use crate::row_hasher::{Excerpt, RowHasher};

/// A kind of salt. All salts of one design have the same width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Salt {
    /// A hash modulo a number of buckets, in decimal digits.
    Modulo(Buckets),
    /// Some digits of a digest.
    Digest(DigestDigits),
    /// A prefix and the hash of a row hasher.
    RowHash(RowHasher),
    /// A bucket drawn for each row, in decimal digits.
    Random(RandomBuckets),
}

impl Salt {
    /// Returns the number of different salts; at least one.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Modulo(buckets) => buckets.count(),
            Self::Digest(digits) => digits.count(),
            Self::RowHash(hasher) => u64::from(hasher.scheme().space()),
            Self::Random(buckets) => buckets.count(),
        }
    }

    /// Returns the width of a salt in bytes.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Modulo(buckets) => buckets.width(),
            Self::Digest(digits) => digits.width(),
            Self::RowHash(hasher) => hasher.prefix().len() + ":".len() + 4,
            Self::Random(buckets) => buckets.width(),
        }
    }

    /// Checks whether the salt of a part is always the same, so that it determines the location of
    /// a row.
    pub(super) fn is_computed(&self) -> bool {
        !matches!(self, Self::Random(_))
    }

    /// Appends the salt of a part of a row. A drawn salt comes from the source.
    ///
    /// # Errors
    ///
    /// Fails if the part has no salt, such as text for a modulus of numbers, or if a drawn salt has
    /// no source.
    pub(super) fn write(
        &self,
        part: &[u8],
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), DesignError> {
        match self {
            Self::Modulo(buckets) => buckets.write(part, key)?,
            Self::Digest(digits) => digits.write(part, key),
            Self::RowHash(hasher) => {
                key.extend_from_slice(hasher.prefix().as_bytes());
                key.push(b':');
                key.extend_from_slice(&hasher.hash(part));
            }
            Self::Random(buckets) => buckets.draw(source, key)?,
        }
        Ok(())
    }

    /// Returns the salt with this number, counted from 0 in byte order. The number is below
    /// [`count`](Self::count).
    pub(super) fn nth(&self, number: u64) -> Bytes {
        match self {
            Self::Modulo(buckets) => buckets.nth(number).into(),
            Self::Digest(digits) => digits.nth(number).into(),
            Self::Random(buckets) => buckets.nth(number).into(),
            Self::RowHash(hasher) => hasher.nth_head(u32::try_from(number).unwrap_or(u32::MAX)),
        }
    }

    /// Rejects a salt that does not match its part or, for drawn salts, that is none of the
    /// buckets.
    pub(super) fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        if let Self::Random(buckets) = self {
            return buckets.check(salt);
        }
        // The common case does not allocate, because scans check every key that they read.
        if let Self::Modulo(buckets) = self
            && buckets.is_of(salt, part)
        {
            return Ok(());
        }
        let mut right = Vec::with_capacity(self.width());
        match self.write(part, None, &mut right) {
            Err(error) => Err(error.to_string()),
            Ok(()) if right == salt => Ok(()),
            Ok(()) => Err(format!(
                "its salt is {}, but that of its row is {}",
                Excerpt::new(salt),
                Excerpt::new(&right)
            )),
        }
    }

    /// Describes the salt for a reader.
    pub(super) fn meaning(&self) -> Cow<'static, str> {
        match self {
            Self::Modulo(buckets) => buckets.meaning().into(),
            Self::Digest(digits) => digits.meaning().into(),
            Self::Random(buckets) => buckets.meaning().into(),
            Self::RowHash(hasher) => format!("prefix and {} hash", hasher.scheme()).into(),
        }
    }
}
