//! `random-salt`: a bucket drawn for each row.

use serde::{Deserialize, Serialize};

use super::super::error::DesignError;
use super::super::form::{PagePart, RowEncoding};
use super::super::salt::{RandomBuckets, Salt};
use super::super::salted_part::SaltedPart;
use super::{DesignParts, DesignSettings, SaltSpec};

/// Settings of the design `random-salt`: `NN<separator><row>`, where `NN` cannot be computed again.
///
/// Rows are spread evenly in whatever order they arrive, even equal rows: a row that is written
/// twice is usually stored under two keys. So every read scans each bucket. Operations that need
/// the only key of a row ([`KeyDesign::key_of`](crate::KeyDesign::key_of)), such as a write only if
/// the row is absent, are rejected.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{KeyDesign, RandomSalt, RowSelection};
///
/// let design = KeyDesign::new(RandomSalt::new(16))?.with_salt_source(|| 7);
/// assert_eq!(design.encode_row(b"row")?, "07|row");
/// assert_eq!(design.decode_key(b"12|row")?, "row");
/// assert_eq!(design.spans(&RowSelection::Row("row".into()))?.len(), 16);
/// assert!(design.key_of(b"row").is_err());
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Given")]
pub struct RandomSalt {
    /// Number of buckets, 2 to 65,536. Bucket numbers are written in two digits, or in as many as
    /// the largest needs, so the salt has a known width and can be removed from a key.
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    pub separator: String,
}

/// The settings as a spec file contains them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    buckets: Option<u32>,
    separator: Option<String>,
}

impl RandomSalt {
    /// Creates settings for this number of buckets, with the separator `|`.
    #[must_use]
    pub fn new(buckets: u32) -> Self {
        Self {
            buckets,
            separator: "|".to_owned(),
        }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, DesignError> {
        Ok(DesignParts {
            name: "random-salt",
            salt: Some(self.salt_of()?),
            leading_point: false,
            form: RowEncoding::Plain,
        })
    }

    pub(super) fn salt_of(&self) -> Result<SaltSpec, DesignError> {
        Ok(SaltSpec {
            salt: Salt::Random(RandomBuckets::new(self.buckets)?),
            part: SaltedPart::Whole,
            page: PagePart::default(),
            separator: self.separator.clone(),
        })
    }
}

impl TryFrom<Given> for RandomSalt {
    type Error = DesignError;

    fn try_from(given: Given) -> Result<Self, DesignError> {
        let buckets = given.buckets.ok_or_else(|| {
            DesignError::settings(
                "the setting `buckets` is missing: a random salt needs it, because the number of buckets determines \
                 the width of the salt in a key",
            )
        })?;
        let salt = Self::new(buckets);
        let separator = given.separator.unwrap_or_else(|| salt.separator.clone());
        Ok(Self { separator, ..salt })
    }
}

impl From<RandomSalt> for DesignSettings {
    fn from(settings: RandomSalt) -> Self {
        Self::RandomSalt(settings)
    }
}
