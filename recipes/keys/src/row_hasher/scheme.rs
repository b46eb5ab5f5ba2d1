//! The hash schemes: a row becomes four characters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use fluo_table::{Excerpt, murmur3_32};

use super::digits::{HASH_LEN, to_digits};
use crate::error::RecipeError;

/// A scheme by which a [`RowHasher`](super::RowHasher) turns a row into four characters.
///
/// A scheme is a hash function, and the radix in which the hash is written: 36 or 32, with the
/// digits `0-9a-z` or `0-9a-v`. The scheme is part of a table's layout: rows written with one
/// scheme cannot be found with another.
///
/// Its name, in text and in serde's formats, is `murmur3-base36` or `sha1-base32`.
///
/// # Examples
///
/// ```
/// use fluo_keys::HashScheme;
///
/// let scheme: HashScheme = "sha1-base32".parse()?;
/// assert_eq!(scheme, HashScheme::Sha1Base32);
/// assert_eq!(scheme.space(), 1_048_576);
/// assert_eq!(HashScheme::default().to_string(), "murmur3-base36");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HashScheme {
    /// The scheme of Apache Fluo: MurmurHash3 (x86, 32 bits, seed 0) without its sign bit, the
    /// last four digits in base 36.
    #[default]
    #[serde(rename = "murmur3-base36")]
    Murmur3Base36,
    /// The first 20 bits of SHA-1, as four digits in base 32.
    ///
    /// 2^20 is a power of two, so every hash has exactly the same share of all digests.
    #[serde(rename = "sha1-base32")]
    Sha1Base32,
}

impl HashScheme {
    /// All schemes.
    pub const ALL: &[Self] = &[Self::Murmur3Base36, Self::Sha1Base32];

    /// Returns the scheme's name, which [`FromStr`] parses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur3Base36 => "murmur3-base36",
            Self::Sha1Base32 => "sha1-base32",
        }
    }

    pub(super) const fn radix(self) -> u32 {
        match self {
            Self::Murmur3Base36 => 36,
            Self::Sha1Base32 => 32,
        }
    }

    /// Returns the number of different hashes: the radix to the fourth power.
    pub const fn space(self) -> u32 {
        self.radix().pow(4)
    }

    /// Returns the number of values of the hash function before the last four digits are taken.
    pub(super) const fn hash_values(self) -> u64 {
        match self {
            Self::Murmur3Base36 => 1 << 31,
            Self::Sha1Base32 => 1 << 20,
        }
    }

    #[inline]
    pub(super) fn number(self, row: &[u8]) -> u32 {
        match self {
            Self::Murmur3Base36 => murmur3_number(row),
            Self::Sha1Base32 => sha1_number(row),
        }
    }

    /// Returns a number below [`space`](Self::space) in the scheme's digits.
    #[inline]
    pub(super) fn digits(self, number: u32) -> [u8; HASH_LEN] {
        match self {
            Self::Murmur3Base36 => to_digits::<36>(number),
            Self::Sha1Base32 => to_digits::<32>(number),
        }
    }

    /// Returns the row's hash. Matches on the scheme once for number and digits, for speed.
    #[inline]
    pub(crate) fn hash(self, row: &[u8]) -> [u8; HASH_LEN] {
        match self {
            Self::Murmur3Base36 => to_digits::<36>(murmur3_number(row)),
            Self::Sha1Base32 => to_digits::<32>(sha1_number(row)),
        }
    }
}

fn murmur3_number(row: &[u8]) -> u32 {
    // Java's hash is signed; Fluo masks the sign bit to get a printable number.
    (murmur3_32(row) & 0x7fff_ffff) % HashScheme::Murmur3Base36.space()
}

fn sha1_number(row: &[u8]) -> u32 {
    let [a, b, c, d, ..] = Sha1::from(row).digest().bytes();
    u32::from_be_bytes([a, b, c, d]) >> 12
}

impl fmt::Display for HashScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for HashScheme {
    type Err = RecipeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|scheme| scheme.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|scheme| scheme.name()).collect();
            let (name, known) = (Excerpt::new(name.as_bytes()), names.join(" or "));
            RecipeError::settings(format!("there is no hash scheme {name}: give {known}"))
        })
    }
}
