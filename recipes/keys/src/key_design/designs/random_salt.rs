//! `random-salt`: a bucket drawn for each row.

use std::sync::Arc;

use fluo_table::{Bytes, Escaped, counted};
use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::decimal;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::{Salt, SaltSource, SaltSpec};
use crate::key_design::salted_part::SaltedPart;
use crate::key_design::scan_cost::MOST_PIECES;

/// The default separator.
const SEPARATOR: &str = "|";

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
/// use fluo_keys::{KeyDesign, RandomSalt, RowSelection};
///
/// let design = KeyDesign::new(RandomSalt::new(16))?.with_salt_source(|| 7);
/// assert_eq!(design.encode_row(b"row")?, "07|row");
/// assert_eq!(design.decode_key(b"12|row")?, "row");
/// assert_eq!(design.spans(&RowSelection::Row("row".into()))?.len(), 16);
/// assert!(design.key_of(b"row").is_err());
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSalt {
    /// Number of buckets, 2 to 65,536. Bucket numbers are written in two digits, or in as many as
    /// the largest needs, so the salt has a known width and can be removed from a key.
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    #[serde(default = "separator")]
    pub separator: String,
}

fn separator() -> String {
    SEPARATOR.to_owned()
}

impl RandomSalt {
    /// Creates settings for this number of buckets, with the separator `|`.
    #[must_use]
    pub fn new(buckets: u32) -> Self {
        Self {
            buckets,
            separator: separator(),
        }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        DesignParts::new("random-salt", Some(self.salt()?), Unsalted {})
    }

    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        if !(2..=MOST_PIECES).contains(&self.buckets.into()) {
            return Err(RecipeError::settings(format!(
                "a random salt cannot have {}: give 2 to {MOST_PIECES}, because a read of one row scans every \
                 bucket",
                counted(
                    usize::try_from(self.buckets).unwrap_or(usize::MAX),
                    "bucket"
                )
            )));
        }
        Ok(SaltSpec {
            salt: Arc::new(self.clone()),
            part: SaltedPart::Whole,
            separator: self.separator.clone(),
            usual_separator: SEPARATOR,
        })
    }
}

/// Buckets `0` to `buckets - 1`, in decimal digits of one width: two, or as many as the largest
/// needs.
impl Salt for RandomSalt {
    fn count(&self) -> u64 {
        self.buckets.into()
    }

    fn width(&self) -> usize {
        decimal::width(self.buckets)
    }

    /// Appends a drawn bucket. The count is far below 2^64, so the modulus favors no bucket
    /// measurably.
    fn write(
        &self,
        _part: &[u8],
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        let source = source.ok_or_else(|| {
            RecipeError::settings(
                "this design has no source of random numbers for its salts: set one with `with_salt_source`",
            )
        })?;
        key.extend_from_slice(&self.nth(source.draw() % self.count()));
        Ok(())
    }

    fn nth(&self, number: u64) -> Bytes {
        decimal::text(number, self.buckets).into()
    }

    fn meaning(&self) -> String {
        format!("drawn from {} buckets", self.buckets)
    }

    fn is_computed(&self) -> bool {
        false
    }

    fn check(&self, salt: &[u8], _part: &[u8]) -> Result<(), String> {
        let number = std::str::from_utf8(salt)
            .ok()
            .and_then(|text| text.parse().ok());
        // The digits are compared as well, because `+1` also parses as a number.
        if number.is_some_and(|number| number < self.count() && self.nth(number) == salt) {
            return Ok(());
        }
        let (first, last) = (self.nth(0), self.nth(self.count() - 1));
        Err(format!(
            "its salt is `{}`, and salts are `{}` to `{}`",
            Escaped(salt),
            Escaped(&first),
            Escaped(&last)
        ))
    }
}
