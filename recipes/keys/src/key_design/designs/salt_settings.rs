//! A salt before rows that have their own encoding.

use serde::{Deserialize, Serialize};

use super::buckets::{Modulo, RandomSalt};
use super::digest_salt::DigestSalt;
use crate::error::RecipeError;
use crate::key_design::salt::Salt;

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
