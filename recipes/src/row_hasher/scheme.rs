//! How a row becomes four characters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use super::digits::{HASH_LEN, is_digit, to_digits};
use super::error::UnknownScheme;
use super::murmur3::murmur3_32;

/// How a [`RowHasher`](super::RowHasher) makes four characters of a row.
///
/// A scheme is a hash function and the radix in which a number of it is written. Its digits are
/// the first [`radix`](Self::radix) characters of `0-9a-z`. The scheme is a part of a table's
/// layout: rows written with one cannot be found with another.
///
/// Its name, in text and in serde's formats, is `murmur3-base36` or `sha1-base32`.
///
/// # Examples
///
/// ```
/// use fluo_recipes::HashScheme;
///
/// let scheme: HashScheme = "sha1-base32".parse()?;
/// assert_eq!(scheme, HashScheme::Sha1Base32);
/// assert_eq!(scheme.space(), 1_048_576);
/// assert_eq!(HashScheme::default().to_string(), "murmur3-base36");
/// # Ok::<(), fluo_recipes::UnknownScheme>(())
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
    /// 2^20 is a power of two, so every hash has exactly the same share of the digests.
    #[serde(rename = "sha1-base32")]
    Sha1Base32,
}

impl HashScheme {
    /// Every scheme.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::HashScheme;
    ///
    /// let names: Vec<_> = HashScheme::ALL.iter().map(|scheme| scheme.name()).collect();
    /// assert_eq!(names, ["murmur3-base36", "sha1-base32"]);
    /// ```
    pub const ALL: &[Self] = &[Self::Murmur3Base36, Self::Sha1Base32];

    /// The scheme's name, which [`FromStr`] reads back.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::HashScheme;
    ///
    /// assert_eq!(HashScheme::Sha1Base32.name(), "sha1-base32");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur3Base36 => "murmur3-base36",
            Self::Sha1Base32 => "sha1-base32",
        }
    }

    /// How many digits the scheme's alphabet has.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::HashScheme;
    ///
    /// assert_eq!(HashScheme::Murmur3Base36.radix(), 36);
    /// assert_eq!(HashScheme::Sha1Base32.radix(), 32);
    /// ```
    #[must_use]
    pub const fn radix(self) -> u32 {
        match self {
            Self::Murmur3Base36 => 36,
            Self::Sha1Base32 => 32,
        }
    }

    /// How many hashes there are: the radix to the fourth power.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::HashScheme;
    ///
    /// assert_eq!(HashScheme::Murmur3Base36.space(), 1_679_616);
    /// assert_eq!(HashScheme::Sha1Base32.space(), 1_048_576);
    /// ```
    #[must_use]
    pub const fn space(self) -> u32 {
        self.radix().pow(4)
    }

    /// How many values the hash function has before the last four digits are taken.
    pub(super) const fn hash_values(self) -> u64 {
        match self {
            Self::Murmur3Base36 => 1 << 31,
            Self::Sha1Base32 => 1 << 20,
        }
    }

    /// The row's place in the space, from 0 on.
    #[inline]
    pub(super) fn number(self, row: &[u8]) -> u32 {
        match self {
            Self::Murmur3Base36 => murmur3_number(row),
            Self::Sha1Base32 => sha1_number(row),
        }
    }

    /// A number below [`space`](Self::space) in the scheme's digits.
    #[inline]
    pub(super) fn digits(self, number: u32) -> [u8; HASH_LEN] {
        match self {
            Self::Murmur3Base36 => to_digits::<36>(number),
            Self::Sha1Base32 => to_digits::<32>(number),
        }
    }

    /// The row's hash. One choice of scheme for number and digits, for the sake of speed.
    #[inline]
    pub(super) fn hash(self, row: &[u8]) -> [u8; HASH_LEN] {
        match self {
            Self::Murmur3Base36 => to_digits::<36>(murmur3_number(row)),
            Self::Sha1Base32 => to_digits::<32>(sha1_number(row)),
        }
    }

    /// Whether the byte is one of the scheme's digits.
    pub(super) fn has_digit(self, digit: u8) -> bool {
        is_digit(digit, self.radix())
    }

    /// The digits, as a message names them.
    pub(super) const fn alphabet(self) -> &'static str {
        match self {
            Self::Murmur3Base36 => "0-9a-z",
            Self::Sha1Base32 => "0-9a-v",
        }
    }
}

fn murmur3_number(row: &[u8]) -> u32 {
    // Java's hash is signed: masking its sign bit is what Fluo does to get a number to print.
    (murmur3_32(row) & 0x7fff_ffff) % HashScheme::Murmur3Base36.space()
}

fn sha1_number(row: &[u8]) -> u32 {
    let digest: [u8; 20] = Sha1::digest(row).into();
    let [a, b, c, d, ..] = digest;
    u32::from_be_bytes([a, b, c, d]) >> 12
}

impl fmt::Display for HashScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for HashScheme {
    type Err = UnknownScheme;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|scheme| scheme.name() == name)
            .ok_or_else(|| UnknownScheme::new(name))
    }
}
