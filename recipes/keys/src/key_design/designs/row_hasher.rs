//! `row-hasher`: Fluo's row hasher as a key design.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;
use crate::key_design::salt::{Salt, SaltSpec, SaltedPart};
use crate::row_hasher::{HashScheme, RowHasher};

/// Settings of the design `row-hasher`: `<prefix>:<4-character hash>:<row>`.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, RowHasher};
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
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        RowHasher::with_scheme(&self.prefix, self.scheme).map(Self::parts_of)
    }

    pub(in crate::key_design) fn parts_of(hasher: RowHasher) -> DesignParts {
        let spec = SaltSpec::new(hasher.clone(), &SaltedPart::Whole, ":", ":");
        DesignParts {
            name: "row-hasher",
            salt: Some(SaltSpec { hasher: Some(hasher), ..spec }),
            leading_point: false,
            encoding: Arc::new(Unsalted {}),
        }
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
