//! A salt of hexadecimal digits of a digest.

use md5::Md5;
use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

use super::super::error::DesignError;

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

/// A number of digits from one end of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct DigestDigits {
    digest: Digest,
    end: DigestSide,
    digits: u8,
}

/// Maximum number of digits. Eight make 2^32 salts, far more than any table has tablets.
const MOST_DIGITS: u8 = 8;

const HEX: &[u8; 16] = b"0123456789abcdef";

impl DigestDigits {
    pub(in super::super) fn new(
        digest: Digest,
        end: DigestSide,
        digits: u8,
    ) -> Result<Self, DesignError> {
        if !(1..=MOST_DIGITS).contains(&digits) {
            return Err(DesignError::settings(format!(
                "a digest salt cannot have {digits} digits: give 1 to {MOST_DIGITS}; 2 digits make 256 salts"
            )));
        }
        Ok(Self {
            digest,
            end,
            digits,
        })
    }

    pub(super) fn count(self) -> u64 {
        1 << (4 * u32::from(self.digits))
    }

    pub(super) fn width(self) -> usize {
        self.digits.into()
    }

    pub(super) fn write(self, part: &[u8], key: &mut Vec<u8>) {
        match self.digest {
            Digest::Md5 => self.write_digits(&Md5::digest(part), key),
            Digest::Sha1 => self.write_digits(&Sha1::digest(part), key),
        }
    }

    fn write_digits(self, digest: &[u8], key: &mut Vec<u8>) {
        let all = digest.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let skipped = match self.end {
            DigestSide::First => 0,
            DigestSide::Last => 2 * digest.len() - self.width(),
        };
        key.extend(all.skip(skipped).take(self.width()).map(hex));
    }

    pub(super) fn nth(self, number: u64) -> Vec<u8> {
        let digits = (0..u32::from(self.digits)).rev();
        digits
            .map(|place| hex(u8::try_from((number >> (4 * place)) & 0xf).unwrap_or_default()))
            .collect()
    }

    pub(super) fn meaning(self) -> String {
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

fn hex(nibble: u8) -> u8 {
    HEX.get(usize::from(nibble)).copied().unwrap_or(b'0')
}
