//! `row-hasher`: Fluo's row hasher as a key design.

use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;
use crate::key_design::salt::{Salt, SaltKind, SaltedPart};
use crate::row_hasher::{HashScheme, RowHasher};

/// Settings of the design `row-hasher`: `<prefix>:<4-character hash>:<row>`.
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
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        let hasher = RowHasher::with_scheme(&self.prefix, self.scheme)?;
        let salt = Salt::new(SaltKind::Hash(hasher), &SaltedPart::Whole, ":", ":");
        DesignParts::new("row-hasher", Some(salt), Unsalted {})
    }
}
