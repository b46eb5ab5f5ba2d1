//! `modulo`: a hash modulo a number of buckets, in decimal digits.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{PagePart, RowEncoding};
use super::super::salt::{Buckets, HashInput, Salt};
use super::super::salted_part::SaltedPart;
use super::{DesignParts, DesignSettings, SaltSpec};

/// Settings of the design `modulo`: `NN<separator><row>`.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, Modulo};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// // The hash is -2^31: a remainder would be `-8`, the floor modulus is 2.
/// assert_eq!(design.encode_row(b"polygenelubricants")?, "02|polygenelubricants");
/// # Ok::<(), fluo_recipes::DesignError>(())
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
        Self {
            buckets: 10,
            separator: "|".to_owned(),
            of: HashInput::default(),
            over: SaltedPart::default(),
        }
    }
}

impl Modulo {
    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        Ok(DesignParts {
            name: "modulo",
            salt: Some(self.salt_of()?),
            leading_point: false,
            form: RowEncoding::Plain,
        })
    }

    pub(super) fn salt_of(&self) -> Result<SaltSpec, DesignError> {
        Ok(SaltSpec {
            salt: Salt::Modulo(Buckets::new(self.of, self.buckets)?),
            part: self.over.clone(),
            page: PagePart::default(),
            separator: self.separator.clone(),
        })
    }
}

impl From<Modulo> for DesignSettings {
    fn from(settings: Modulo) -> Self {
        Self::Modulo(settings)
    }
}
