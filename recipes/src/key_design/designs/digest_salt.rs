//! `digest-salt`: digits of a digest before the row.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{PagePart, RowEncoding};
use super::super::salt::{Digest, DigestDigits, DigestSide, Salt};
use super::super::salted_part::SaltedPart;
use super::{DesignParts, DesignSettings, SaltSpec};

/// Settings of the design `digest-salt`: `<digits of a digest><separator><row>`.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{DigestSide, DigestSalt, KeyDesign};
///
/// let first = DigestSalt { digits: 4, separator: "-".to_owned(), ..DigestSalt::default() };
/// assert_eq!(KeyDesign::new(first)?.encode_row(b"abc001")?, "9bf0-abc001");
///
/// let last = DigestSalt { digits: 4, end: DigestSide::Last, ..DigestSalt::default() };
/// assert_eq!(KeyDesign::new(last)?.encode_row(b"1364248490")?, "ffe51364248490");
/// # Ok::<(), fluo_recipes::DesignError>(())
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
    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        Ok(DesignParts {
            name: "digest-salt",
            salt: Some(self.salt_of()?),
            leading_point: false,
            form: RowEncoding::Plain,
        })
    }

    pub(super) fn salt_of(&self) -> Result<SaltSpec, DesignError> {
        Ok(SaltSpec {
            salt: Salt::Digest(DigestDigits::new(self.digest, self.end, self.digits)?),
            part: self.over.clone(),
            page: PagePart::default(),
            separator: self.separator.clone(),
        })
    }
}

impl From<DigestSalt> for DesignSettings {
    fn from(settings: DigestSalt) -> Self {
        Self::DigestSalt(settings)
    }
}
