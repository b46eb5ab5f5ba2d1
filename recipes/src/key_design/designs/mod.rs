//! The named designs and their settings.

mod composite_rows;
mod digest_salt;
mod hashed_rows;
mod modulo;
mod random_salt;
mod reverse_time;
mod reversed;
mod salt_settings;
mod unsalted;
mod web_table;

use serde::{Deserialize, Serialize};

pub use self::composite_rows::CompositeRows;
pub use self::digest_salt::DigestSalt;
pub use self::hashed_rows::HashedRows;
pub use self::modulo::Modulo;
pub use self::random_salt::RandomSalt;
pub use self::reverse_time::ReverseTime;
pub use self::reversed::Reversed;
pub use self::salt_settings::SaltSettings;
pub use self::unsalted::Unsalted;
pub use self::web_table::WebTable;
use super::error::DesignError;
use super::form::{Form, PagePart};
use super::part::SaltedPart;
use super::salt::Salt;

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

/// The two halves of a design, and the settings that combine them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) name: &'static str,
    pub(super) salt: Option<SaltOf>,
    /// `true` if there is a split point at the first salt, which leaves an empty tablet before it.
    pub(super) leading_point: bool,
    pub(super) form: Form,
}

/// A salt, its input, and the separator after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaltOf {
    pub(super) salt: Salt,
    /// The part of a row from which the salt is computed.
    pub(super) part: SaltedPart,
    /// The part of a page from which the salt is computed, in a web table.
    pub(super) page: PagePart,
    pub(super) separator: String,
}

impl DesignSettings {
    pub(super) fn halves(&self) -> Result<Halves, DesignError> {
        let halves = match self {
            Self::RowHasher(settings) => settings.halves(),
            Self::Modulo(settings) => settings.halves(),
            Self::DigestSalt(settings) => settings.halves(),
            Self::WebTable(settings) => settings.halves(),
            Self::Reversed(settings) => settings.halves(),
            Self::ReverseTime(settings) => settings.halves(),
            Self::RandomSalt(settings) => settings.halves(),
            Self::Composite(settings) => settings.halves(),
            Self::Unsalted(_) => Ok(Unsalted::halves()),
        }?;
        if let Some(salt) = &halves.salt {
            halves.form.check_part(&salt.part)?;
            if let Salt::Modulo(buckets) = &salt.salt {
                halves.form.check_modulo(*buckets, &salt.part)?;
            }
        }
        Ok(halves)
    }
}
