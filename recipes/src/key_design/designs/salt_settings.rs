//! A salt before rows that have a form of their own.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::{DigestSalt, Modulo, RandomSalt, SaltOf};

/// A salt before the rows of `reverse-time` or `composite`.
///
/// In serde's formats the field `design` names the design whose salt it is, beside the settings of that design. Its
/// `over` says which part of the row is salted: give the part that scans stay within, so that each stays in one
/// piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "design", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SaltSettings {
    /// A hash, or a number, modulo a number of buckets.
    Modulo(Modulo),
    /// Digits of a digest.
    DigestSalt(DigestSalt),
    /// A bucket that is drawn for each row.
    RandomSalt(RandomSalt),
}

impl SaltSettings {
    pub(super) fn salt_of(&self) -> Result<SaltOf, DesignError> {
        match self {
            Self::Modulo(settings) => settings.salt_of(),
            Self::DigestSalt(settings) => settings.salt_of(),
            Self::RandomSalt(settings) => settings.salt_of(),
        }
    }
}

impl From<Modulo> for SaltSettings {
    fn from(settings: Modulo) -> Self {
        Self::Modulo(settings)
    }
}

impl From<DigestSalt> for SaltSettings {
    fn from(settings: DigestSalt) -> Self {
        Self::DigestSalt(settings)
    }
}

impl From<RandomSalt> for SaltSettings {
    fn from(settings: RandomSalt) -> Self {
        Self::RandomSalt(settings)
    }
}
