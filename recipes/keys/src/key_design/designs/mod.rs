//! The named designs and their settings: one file for those that only put a salt before the row,
//! and one for each other design.

/// Implements the conversions of settings to an enum of them.
macro_rules! from_settings {
    ($all:ident: $($(#[$attribute:meta])? $variant:ident($settings:ty)),+ $(,)?) => {
        $($(#[$attribute])? impl From<$settings> for $all {
            fn from(settings: $settings) -> Self {
                Self::$variant(settings)
            }
        })+
    };
}

mod composite;
mod reverse_time;
mod reversed;
mod salted;
mod unsalted;
#[cfg(feature = "web-table")]
mod web_table;

use serde::{Deserialize, Serialize};

pub use self::composite::{Composite, CompositeRows, Field, FieldKind, FieldOrder, FieldSettings};
pub use self::reverse_time::{ReverseTime, TimeEncoding, TimePosition};
pub use self::reversed::{Reversed, ReversedUnit, RowAlphabet, RowLength};
pub use self::salted::{DigestSalt, HashedRows, Modulo, RandomSalt, SaltSettings};
pub use self::unsalted::Unsalted;
#[cfg(feature = "web-table")]
pub use self::web_table::{DomainDirection, WebPart, WebTable};
use super::encoding::DesignParts;
use crate::error::RecipeError;

/// The settings of a named design, as in a spec file.
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
    /// `{salt}:{reversed host}{path}`: the pages of a domain together.
    #[cfg(feature = "web-table")]
    WebTable(WebTable),
    /// The row read backwards.
    Reversed(Reversed),
    /// A time counted down, before or after the entity of the row.
    ReverseTime(ReverseTime),
    /// `NN<separator><row>`: a bucket drawn for each row.
    RandomSalt(RandomSalt),
    /// Fields in order, each ascending or descending.
    Composite(CompositeRows),
    /// The row as it is.
    Unsalted(Unsalted),
}

impl DesignSettings {
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        let salted = |name, salt| DesignParts::new(name, Some(salt), Unsalted {});
        match self {
            Self::RowHasher(settings) => salted("row-hasher", settings.salt()?),
            Self::Modulo(settings) => salted("modulo", settings.salt()?),
            Self::DigestSalt(settings) => salted("digest-salt", settings.salt()?),
            #[cfg(feature = "web-table")]
            Self::WebTable(settings) => settings.parts(),
            Self::Reversed(settings) => settings.parts(),
            Self::ReverseTime(settings) => settings.parts(),
            Self::RandomSalt(settings) => salted("random-salt", settings.salt()?),
            Self::Composite(settings) => settings.parts(),
            Self::Unsalted(settings) => DesignParts::new("unsalted", None, settings.clone()),
        }
    }
}

from_settings! {
    DesignSettings:
    RowHasher(HashedRows),
    Modulo(Modulo),
    DigestSalt(DigestSalt),
    #[cfg(feature = "web-table")]
    WebTable(WebTable),
    Reversed(Reversed),
    ReverseTime(ReverseTime),
    RandomSalt(RandomSalt),
    Composite(CompositeRows),
    Unsalted(Unsalted),
}
