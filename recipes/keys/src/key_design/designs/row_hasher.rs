//! `row-hasher`: Fluo's row hasher as a key design.

use std::sync::Arc;

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::{Salt, SaltSource, SaltSpec, SaltedPart};
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
        let hasher = RowHasher::builder(&self.prefix).scheme(self.scheme).build();
        hasher.map(Self::parts_of)
    }

    pub(in crate::key_design) fn parts_of(hasher: RowHasher) -> DesignParts {
        DesignParts {
            name: "row-hasher",
            salt: Some(SaltSpec::new(hasher, &SaltedPart::Whole, ":", ":")),
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

    fn write(
        &self,
        part: &[u8],
        _source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        key.extend_from_slice(self.prefix().as_bytes());
        key.push(b':');
        key.extend_from_slice(&self.hash(part));
        Ok(())
    }

    fn nth(&self, number: u64) -> Bytes {
        self.nth_head(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn meaning(&self) -> String {
        format!("prefix and {} hash", self.scheme())
    }

    /// Uses the hasher's own formulas.
    fn split(&self, tablets: u32) -> Result<(Vec<Bytes>, Vec<u64>), RecipeError> {
        Ok((self.splits(tablets)?, self.tablet_weights(tablets)?))
    }

    fn row_hasher(&self) -> Option<&RowHasher> {
        Some(self)
    }
}
