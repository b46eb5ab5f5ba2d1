//! The named designs: what a user configures.

mod digest_salt;
mod hashed_rows;
mod modulo;

use serde::{Deserialize, Serialize};

pub use self::digest_salt::DigestSalt;
pub use self::hashed_rows::HashedRows;
pub use self::modulo::Modulo;
use super::error::DesignError;
use super::form::Form;
use super::part::SaltedPart;
use super::salt::Salt;

/// The settings of a named design, as a spec file has them.
///
/// In serde's formats the field `design` holds the name, beside the settings of that design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "design", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DesignSettings {
    /// `<prefix>:<4-character hash>:<row>`, as Fluo's row hasher writes it.
    RowHasher(HashedRows),
    /// `NN<separator><row>`: a hash modulo a number of buckets.
    Modulo(Modulo),
    /// Digits of a digest before the row.
    DigestSalt(DigestSalt),
}

/// The two halves of a design, and what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) name: &'static str,
    pub(super) salt: Option<SaltOf>,
    pub(super) form: Form,
}

/// A salt, what it is made of, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaltOf {
    pub(super) salt: Salt,
    pub(super) part: SaltedPart,
    pub(super) separator: String,
}

impl DesignSettings {
    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        let halves = match self {
            Self::RowHasher(settings) => settings.halves(),
            Self::Modulo(settings) => settings.halves(),
            Self::DigestSalt(settings) => settings.halves(),
        }?;
        if let Some(salt) = &halves.salt {
            halves.form.check_part(&salt.part)?;
        }
        Ok(halves)
    }
}
