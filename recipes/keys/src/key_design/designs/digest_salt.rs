//! `digest-salt`: digits of a digest before the row.

use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use crate::error::RecipeError;
use crate::key_design::salt::{Salt, SaltSpec, SaltedPart, write_digits};

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
    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        let digits = self.digits;
        if !(1..=MAX_DIGITS).contains(&digits) {
            return Err(RecipeError::settings(format!(
                "a digest salt cannot have {digits} digits: give 1 to {MAX_DIGITS}; 2 digits make 256 salts"
            )));
        }
        Ok(SaltSpec::new(self.clone(), &self.over, &self.separator, ""))
    }

    fn digits_of(&self, digest: &[u8]) -> u64 {
        let bits = 4 * u32::from(self.digits);
        let four = |bytes: Option<&[u8; 4]>| bytes.copied().map_or(0, u32::from_be_bytes).into();
        let (first, last): (u64, u64) = (four(digest.first_chunk()), four(digest.last_chunk()));
        match self.end {
            DigestSide::First => first >> (32 - bits),
            DigestSide::Last => last % self.count(),
        }
    }
}

impl Salt for DigestSalt {
    fn count(&self) -> u64 {
        1 << (4 * u32::from(self.digits))
    }

    fn width(&self) -> usize {
        self.digits.into()
    }

    fn number(&self, part: &[u8]) -> Result<u64, RecipeError> {
        Ok(match self.digest {
            Digest::Md5 => self.digits_of(&md5::compute(part).0),
            Digest::Sha1 => self.digits_of(&Sha1::from(part).digest().bytes()),
        })
    }

    fn write(&self, number: u64, key: &mut Vec<u8>) {
        write_digits::<16>(number, self.width(), key);
    }

    fn meaning(&self) -> String {
        let digest = match self.digest {
            Digest::Md5 => "MD5",
            Digest::Sha1 => "SHA-1",
        };
        let end = match self.end {
            DigestSide::First => "first",
            DigestSide::Last => "last",
        };
        match self.digits {
            1 => format!("{end} hexadecimal digit of {digest}"),
            digits => format!("{end} {digits} hexadecimal digits of {digest}"),
        }
    }
}

/// The digest that supplies the digits of a salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Digest {
    /// MD5 (RFC 1321): 32 hexadecimal digits. It serves to spread rows, not to protect them.
    #[default]
    Md5,
    /// SHA-1 (FIPS 180-4): 40 hexadecimal digits.
    Sha1,
}

/// The end of the digest's text that supplies the digits of a salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DigestSide {
    /// The first digits.
    #[default]
    First,
    /// The last digits.
    Last,
}

/// Maximum number of digits. Eight make 2^32 salts, far more than any table has tablets.
const MAX_DIGITS: u8 = 8;
