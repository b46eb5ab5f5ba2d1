//! `row-hasher`, `digest-salt`, `modulo` and `random-salt`: a salt before the row as it is.

use fluo_table::Grouped;
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::key_design::hash_input::HashInput;
use crate::key_design::salt::{Digest, DigestSide, Salt, SaltKind, SaltedPart};
use crate::key_design::scan_cost::MAX_RANGES;
use crate::row_hasher::{HashScheme, RowHasher};

/// Maximum number of digits. Eight make 2^32 salts, far more than any table has tablets.
const MAX_DIGITS: u8 = 8;

const BUCKET_SEPARATOR: &str = "|";

/// Maximum number of buckets, more than any table has tablets.
const MAX_BUCKETS: u32 = 1_000_000;

/// Settings of the design `row-hasher`: `<prefix>:<4-character hash>:<row>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashedRows {
    /// The text with which every key starts, before the first `:`.
    pub prefix: String,
    /// The hash scheme. The default is `murmur3-base36`.
    #[serde(default)]
    pub scheme: HashScheme,
}

impl HashedRows {
    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        let hasher = RowHasher::with_scheme(&self.prefix, self.scheme)?;
        Ok(Salt::new(SaltKind::Hash(hasher), &SaltedPart::Whole, ":", ":"))
    }
}

/// Settings of the design `digest-salt`: `<digits of a digest><separator><row>`.
///
/// # Examples
///
/// ```
/// use fluo_keys::{DigestSide, DigestSalt, KeyDesign};
///
/// let first = DigestSalt { digits: 4, separator: "-".to_owned(), ..DigestSalt::default() };
/// assert_eq!(KeyDesign::new(first)?.encode_row(b"abc001")?, "9bf0-abc001");
///
/// let last = DigestSalt { digits: 4, end: DigestSide::Last, ..DigestSalt::default() };
/// assert_eq!(KeyDesign::new(last)?.encode_row(b"1364248490")?, "ffe51364248490");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DigestSalt {
    /// The digest. The default is MD5.
    pub digest: Digest,
    /// The end of the digest's text. The default is the first digits.
    pub end: DigestSide,
    /// Number of hexadecimal digits, 1 to 8. The default is 2.
    pub digits: u8,
    /// The text between the digits and the row. The default is empty.
    pub separator: String,
    /// The part of the row that is hashed. The default is the whole row.
    pub over: SaltedPart,
}

impl Default for DigestSalt {
    fn default() -> Self {
        let (digest, end, over) = (Digest::Md5, DigestSide::First, SaltedPart::Whole);
        Self { digest, end, digits: 2, separator: String::new(), over }
    }
}

impl DigestSalt {
    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        let Self { digest, end, digits, .. } = *self;
        if !(1..=MAX_DIGITS).contains(&digits) {
            return Err(RecipeError::settings(format!(
                "a digest salt cannot have {digits} digits: give 1 to {MAX_DIGITS}; 2 digits make 256 salts"
            )));
        }
        let kind = SaltKind::Digest { digest, end, digits };
        Ok(Salt::new(kind, &self.over, &self.separator, ""))
    }
}

/// Settings of the design `modulo`: `NN<separator><row>`.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Modulo};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// // The hash is -2^31: a remainder would be `-8`, the floor modulus is 2.
/// assert_eq!(design.encode_row(b"polygenelubricants")?, "02|polygenelubricants");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Modulo {
    /// Number of buckets, 1 to 1,000,000. The default is 10. Bucket numbers are written in two
    /// digits, or in as many as the largest needs.
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    pub separator: String,
    /// The operand of the modulus. The default is Java's hash.
    pub of: HashInput,
    /// The part of the row from which the salt is computed. The default is the whole row.
    pub over: SaltedPart,
}

impl Default for Modulo {
    fn default() -> Self {
        let (of, over) = (HashInput::default(), SaltedPart::default());
        Self { buckets: 10, separator: separator(), of, over }
    }
}

/// Settings of the design `random-salt`: `NN<separator><row>`, where `NN` cannot be computed again.
///
/// Rows are spread evenly in whatever order they arrive, even equal rows: a row that is written
/// twice is usually stored under two keys. So every read scans each bucket. Operations that need
/// the only key of a row ([`KeyDesign::key_of`](crate::KeyDesign::key_of)), such as a write only if
/// the row is absent, are rejected.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, RandomSalt, RowSelection};
///
/// let design = KeyDesign::new(RandomSalt::new(16))?.with_salt_source(|| 7);
/// assert_eq!(design.encode_row(b"row")?, "07|row");
/// assert_eq!(design.decode_key(b"12|row")?, "row");
/// assert_eq!(design.spans(&RowSelection::Row("row".into()))?.len(), 16);
/// assert!(design.key_of(b"row").is_err());
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSalt {
    /// Number of buckets, 2 to 65,536, written as by [`Modulo`].
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    #[serde(default = "separator")]
    pub separator: String,
}

fn separator() -> String {
    BUCKET_SEPARATOR.to_owned()
}

impl Modulo {
    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        if !(1..=MAX_BUCKETS).contains(&self.buckets) {
            return Err(RecipeError::settings(format!(
                "the number of buckets cannot be {}: give 1 to {}",
                Grouped::new(self.buckets),
                Grouped::new(MAX_BUCKETS)
            )));
        }
        let kind = SaltKind::Bucket { count: self.buckets, of: Some(self.of) };
        Ok(Salt::new(kind, &self.over, &self.separator, BUCKET_SEPARATOR))
    }
}

impl RandomSalt {
    /// Creates settings for this number of buckets, with the separator `|`.
    pub fn new(buckets: u32) -> Self {
        Self { buckets, separator: separator() }
    }

    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        if !(2..=MAX_RANGES).contains(&self.buckets.into()) {
            return Err(RecipeError::settings(format!(
                "the number of random buckets cannot be {}: give 2 to {}, because reads scan each",
                Grouped::new(self.buckets),
                Grouped(MAX_RANGES)
            )));
        }
        // The count is far below 2^64, so the modulus of a drawn number favors no bucket.
        let kind = SaltKind::Bucket { count: self.buckets, of: None };
        Ok(Salt::new(kind, &SaltedPart::Whole, &self.separator, BUCKET_SEPARATOR))
    }
}

/// A salt before the rows of `reverse-time` or `composite`.
///
/// In serde's formats the field `design` names the design of the salt, beside the settings of that
/// design. Its `over` selects the part of the row that is salted: choose the part within which
/// scans stay, so that each scan reads one range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "design", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SaltSettings {
    /// A hash, or a number, modulo a number of buckets.
    Modulo(Modulo),
    /// Digits of a digest.
    DigestSalt(DigestSalt),
    /// A bucket drawn for each row.
    RandomSalt(RandomSalt),
}

impl SaltSettings {
    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        match self {
            Self::Modulo(settings) => settings.salt(),
            Self::DigestSalt(settings) => settings.salt(),
            Self::RandomSalt(settings) => settings.salt(),
        }
    }
}

from_settings! { SaltSettings: Modulo(Modulo), DigestSalt(DigestSalt), RandomSalt(RandomSalt) }

#[cfg(test)]
mod tests {
    use crate::{HashInput, KeyDesign, Modulo};

    #[test]
    fn accepts_only_the_exact_digits_of_a_salt() {
        for (buckets, salt) in [(10, "07"), (100, "07"), (1_000, "107")] {
            let settings = Modulo { buckets, of: HashInput::Number, ..Modulo::default() };
            let design = KeyDesign::new(settings).unwrap();
            let decode = |salt: &str| design.decode_key(format!("{salt}|12107").as_bytes());
            assert_eq!(decode(salt).unwrap(), "12107");
            for wrong in ["", "7", "08", "17", "007", "0107", "0g", "2107"] {
                assert!(decode(wrong).is_err(), "{buckets}: {wrong}");
            }
            assert!(design.decode_key(b"00|no number").is_err());
        }
    }
}
