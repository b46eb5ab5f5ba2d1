//! `modulo`: a hash modulo a number of buckets, in decimal digits.

use std::sync::Arc;

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::decimal;
use crate::key_design::hash_input::HashInput;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::{Salt, SaltSource, SaltSpec, check_computed};
use crate::key_design::salted_part::SaltedPart;

/// The default separator.
const SEPARATOR: &str = "|";

/// Maximum number of buckets, more than any table has tablets.
const MOST_BUCKETS: u32 = 1_000_000;

/// Settings of the design `modulo`: `NN<separator><row>`.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, Modulo};
///
/// let design = KeyDesign::new(Modulo::default())?;
/// // The hash is -2^31: a remainder would be `-8`, the floor modulus is 2.
/// assert_eq!(design.encode_row(b"polygenelubricants")?, "02|polygenelubricants");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Modulo {
    /// Number of buckets, 1 to 1,000,000. The default is 10. Bucket numbers are written in two
    /// digits, or in as many as the largest needs.
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    pub separator: String,
    /// The operand of the modulus. The default is Java's hash.
    pub of: HashInput,
    /// The part of the row from which the salt is computed. The default is the whole row.
    pub over: SaltedPart,
}

impl Default for Modulo {
    fn default() -> Self {
        Self {
            buckets: 10,
            separator: SEPARATOR.to_owned(),
            of: HashInput::default(),
            over: SaltedPart::default(),
        }
    }
}

impl Modulo {
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        DesignParts::new("modulo", Some(self.salt()?), Unsalted {})
    }

    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        if !(1..=MOST_BUCKETS).contains(&self.buckets) {
            return Err(RecipeError::settings(format!(
                "the number of buckets cannot be {}: give 1 to {MOST_BUCKETS}",
                self.buckets
            )));
        }
        Ok(SaltSpec {
            salt: Arc::new(self.clone()),
            part: self.over.clone(),
            separator: self.separator.clone(),
            usual_separator: SEPARATOR,
        })
    }
}

/// Buckets `0` to `buckets - 1`, in decimal digits of one width: two, or as many as the largest
/// needs.
impl Salt for Modulo {
    fn count(&self) -> u64 {
        self.buckets.into()
    }

    fn width(&self) -> usize {
        decimal::width(self.buckets)
    }

    fn write(
        &self,
        part: &[u8],
        _source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        key.extend_from_slice(&self.nth(self.of.modulo(part, self.buckets)?));
        Ok(())
    }

    fn nth(&self, number: u64) -> Bytes {
        decimal::text(number, self.buckets).into()
    }

    fn meaning(&self) -> String {
        let count = self.buckets;
        match self.of {
            HashInput::JavaHash => format!("Java's String.hashCode modulo {count}"),
            HashInput::Number => format!("the number modulo {count}"),
        }
    }

    fn hash_input(&self) -> Option<HashInput> {
        Some(self.of)
    }

    fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        // The common case does not allocate, because scans check every key that they read.
        let bucket = self.of.modulo(part, self.buckets);
        if bucket.is_ok_and(|bucket| decimal::is_text(salt, bucket, self.buckets)) {
            return Ok(());
        }
        check_computed(self, salt, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_the_exact_digits_of_a_salt() {
        for (count, salt) in [(10, "07"), (100, "07"), (1_000, "107")] {
            let buckets = Modulo {
                buckets: count,
                of: HashInput::Number,
                ..Modulo::default()
            };
            let mut written = Vec::new();
            buckets.write(b"12107", None, &mut written).unwrap();
            assert_eq!(written, salt.as_bytes());
            assert!(buckets.check(&written, b"12107").is_ok(), "{count}");
            for wrong in ["", "7", "08", "17", "007", "0107", "0g", "2107"] {
                assert!(
                    buckets.check(wrong.as_bytes(), b"12107").is_err(),
                    "{count}: {wrong}"
                );
            }
            assert!(buckets.check(b"00", b"no number").is_err());
        }
    }
}
