//! `row-hasher`: Fluo's row hasher as a key design.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{PagePart, RowEncoding};
use super::super::salt::Salt;
use super::super::salted_part::SaltedPart;
use super::{DesignParts, DesignSettings, SaltSpec};
use crate::row_hasher::{HashScheme, RowHasher};

/// Settings of the design `row-hasher`: `<prefix>:<4-character hash>:<row>`.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, RowHasher};
///
/// let design = KeyDesign::from(&RowHasher::new("p")?);
/// assert_eq!(design.encode_row(b"org.wikipedia/accumulo")?, "p:1yl0:org.wikipedia/accumulo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashedRows {
    /// The text with which every key starts, before the first `:`.
    pub prefix: String,
    /// The hash scheme. The default is `murmur3-base36`.
    #[serde(default)]
    pub scheme: HashScheme,
}

impl HashedRows {
    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        let hasher = RowHasher::builder(&self.prefix).scheme(self.scheme).build();
        let hasher = hasher.map_err(|error| DesignError::settings(error.to_string()))?;
        Ok(DesignParts::of_hasher(&hasher))
    }
}

impl DesignParts {
    pub(in super::super) fn of_hasher(hasher: &RowHasher) -> Self {
        Self {
            name: "row-hasher",
            salt: Some(SaltSpec {
                salt: Salt::RowHash(hasher.clone()),
                part: SaltedPart::Whole,
                page: PagePart::default(),
                separator: ":".to_owned(),
            }),
            leading_point: false,
            form: RowEncoding::Plain,
        }
    }
}

impl From<HashedRows> for DesignSettings {
    fn from(settings: HashedRows) -> Self {
        Self::RowHasher(settings)
    }
}
