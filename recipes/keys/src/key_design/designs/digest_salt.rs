//! `digest-salt`: digits of a digest before the row.

use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::key_design::salt::{Digest, DigestSide, Salt, SaltKind, SaltedPart};

/// Maximum number of digits. Eight make 2^32 salts, far more than any table has tablets.
const MAX_DIGITS: u8 = 8;

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
