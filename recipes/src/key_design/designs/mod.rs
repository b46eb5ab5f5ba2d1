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
use super::form::{PagePart, RowEncoding};
use super::salt::Salt;
use super::salted_part::SaltedPart;

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

/// The two parts of a design, and the settings that combine them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DesignParts {
    pub(super) name: &'static str,
    pub(super) salt: Option<SaltSpec>,
    /// `true` if there is a split point at the first salt, which leaves an empty tablet before it.
    pub(super) leading_point: bool,
    pub(super) form: RowEncoding,
}

/// A salt, its input, and the separator after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SaltSpec {
    pub(super) salt: Salt,
    /// The part of a row from which the salt is computed.
    pub(super) part: SaltedPart,
    /// The part of a page from which the salt is computed, in a web table.
    pub(super) page: PagePart,
    pub(super) separator: String,
}

impl DesignSettings {
    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        let parts = match self {
            Self::RowHasher(settings) => settings.parts(),
            Self::Modulo(settings) => settings.parts(),
            Self::DigestSalt(settings) => settings.parts(),
            Self::WebTable(settings) => settings.parts(),
            Self::Reversed(settings) => settings.parts(),
            Self::ReverseTime(settings) => settings.parts(),
            Self::RandomSalt(settings) => settings.parts(),
            Self::Composite(settings) => settings.parts(),
            Self::Unsalted(_) => Ok(Unsalted::parts()),
        }?;
        if let Some(salt) = &parts.salt {
            parts.form.check_part(&salt.part)?;
            if let Salt::Modulo(buckets) = &salt.salt {
                parts.form.check_modulo(*buckets, &salt.part)?;
            }
        }
        Ok(parts)
    }
}
