//! The salt: a few bytes before the row that decide where it lies.

mod decimal;
mod digest;
mod modulo;
mod random;

use std::borrow::Cow;

use fluo_core::Bytes;

pub(super) use self::digest::DigestDigits;
pub use self::digest::{Digest, DigestEnd};
pub(super) use self::modulo::Buckets;
pub(crate) use self::modulo::MOST_BUCKETS;
pub use self::modulo::ModuloOf;
pub(super) use self::random::{RandomBuckets, SaltSource};
use super::error::DesignError;
use crate::row_hasher::{Excerpt, RowHasher};

/// How a salt is made. All salts of one value have the same width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Salt {
    /// A hash modulo a number of buckets, in decimal digits.
    Modulo(Buckets),
    /// Some digits of a digest.
    Digest(DigestDigits),
    /// A prefix and the hash of a row hasher.
    RowHash(RowHasher),
    /// A bucket that is drawn for each row, in decimal digits.
    Random(RandomBuckets),
}

impl Salt {
    /// How many different salts there are; at least one.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Modulo(buckets) => buckets.count(),
            Self::Digest(digits) => digits.count(),
            Self::RowHash(hasher) => u64::from(hasher.scheme().space()),
            Self::Random(buckets) => buckets.count(),
        }
    }

    /// How many bytes each of them has.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Modulo(buckets) => buckets.width(),
            Self::Digest(digits) => digits.width(),
            Self::RowHash(hasher) => hasher.prefix().len() + ":".len() + 4,
            Self::Random(buckets) => buckets.width(),
        }
    }

    /// Whether the salt of a part is always the same, so that it is known where a row is.
    pub(super) fn is_computed(&self) -> bool {
        !matches!(self, Self::Random(_))
    }

    /// Appends the salt of a part of a row; one that is drawn comes from the source.
    ///
    /// # Errors
    /// A part that has none, such as text where a number is asked for, and a drawn salt without a source.
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

    /// The salt with a number, counted from 0 in byte order. The number is below [`count`](Self::count).
    pub(super) fn nth(&self, number: u64) -> Bytes {
        match self {
            Self::Modulo(buckets) => buckets.nth(number).into(),
            Self::Digest(digits) => digits.nth(number).into(),
            Self::Random(buckets) => buckets.nth(number).into(),
            Self::RowHash(hasher) => hasher.nth_head(u32::try_from(number).unwrap_or(u32::MAX)),
        }
    }

    /// Refuses a salt that is not the one of its part, or that was not drawn.
    pub(super) fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        if let Self::Random(buckets) = self {
            return buckets.check(salt);
        }
        // The common case without an allocation: scans check every key that they read.
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

    /// What the salt is, as a person reads it.
    pub(super) fn meaning(&self) -> Cow<'static, str> {
        match self {
            Self::Modulo(buckets) => buckets.meaning().into(),
            Self::Digest(digits) => digits.meaning().into(),
            Self::Random(buckets) => buckets.meaning().into(),
            Self::RowHash(hasher) => format!("prefix and {} hash", hasher.scheme()).into(),
        }
    }
}
