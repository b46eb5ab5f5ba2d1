//! `digest-salt`: digits of a digest before the row.

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::{Salt, SaltSource, SaltSpec, SaltedPart};

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
        Self {
            digest: Digest::default(),
            end: DigestSide::default(),
            digits: 2,
            separator: String::new(),
            over: SaltedPart::default(),
        }
    }
}

impl DigestSalt {
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        DesignParts::new("digest-salt", Some(self.salt()?), Unsalted {})
    }

    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        let digits = self.digits;
        if !(1..=MAX_DIGITS).contains(&digits) {
            return Err(RecipeError::settings(format!(
                "a digest salt cannot have {digits} digits: give 1 to {MAX_DIGITS}; 2 digits make 256 salts"
            )));
        }
        Ok(SaltSpec::new(self.clone(), &self.over, &self.separator, ""))
    }

    fn write_digits(&self, digest: &[u8], key: &mut Vec<u8>) {
        let all = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let skipped = match self.end {
            DigestSide::First => 0,
            DigestSide::Last => 2 * digest.len() - self.width(),
        };
        key.extend(all.skip(skipped).take(self.width()).map(hex));
    }
}

impl Salt for DigestSalt {
    fn count(&self) -> u64 {
        1 << (4 * u32::from(self.digits))
    }

    fn width(&self) -> usize {
        self.digits.into()
    }

    fn write(
        &self,
        part: &[u8],
        _source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        match self.digest {
            Digest::Md5 => self.write_digits(&md5::compute(part).0, key),
            Digest::Sha1 => self.write_digits(&Sha1::from(part).digest().bytes(), key),
        }
        Ok(())
    }

    fn nth(&self, number: u64) -> Bytes {
        let digits = (0..u32::from(self.digits)).rev();
        digits
            .map(|place| hex(u8::try_from((number >> (4 * place)) & 0xf).unwrap_or_default()))
            .collect()
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

const HEX: &[u8; 16] = b"0123456789abcdef";

fn hex(nibble: u8) -> u8 {
    HEX.get(usize::from(nibble)).copied().unwrap_or(b'0')
}
