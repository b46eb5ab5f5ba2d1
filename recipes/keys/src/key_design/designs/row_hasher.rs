//! `row-hasher`: Fluo's row hasher as a key design.

use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;
use crate::key_design::salt::{Salt, SaltSpec, SaltedPart};
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
        let spec = SaltSpec::new(hasher.clone(), &SaltedPart::Whole, ":", ":");
        let salt = SaltSpec { hasher: Some(hasher), ..spec };
        DesignParts::new("row-hasher", Some(salt), Unsalted {})
    }
}

/// The prefix and the hash are the salt; the colon after them is its separator.
impl Salt for RowHasher {
    fn count(&self) -> u64 {
        self.scheme().space().into()
    }

    fn width(&self) -> usize {
        self.prefix().len() + ":".len() + 4
    }

    fn number(&self, part: &[u8]) -> Result<u64, RecipeError> {
        Ok(self.hash_number(part).into())
    }

    fn write(&self, number: u64, key: &mut Vec<u8>) {
        self.write_head(u32::try_from(number).expect("there are fewer than 2^32 hashes"), key);
    }

    fn meaning(&self) -> String {
        format!("prefix and {} hash", self.scheme())
    }
}
