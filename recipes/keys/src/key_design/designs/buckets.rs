//! `modulo` and `random-salt`: numbered buckets before the row.

use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::key_design::hash_input::HashInput;
use crate::key_design::salt::{Salt, SaltKind, SaltedPart};
use crate::key_design::scan_cost::MAX_RANGES;

const SEPARATOR: &str = "|";

/// Maximum number of buckets, more than any table has tablets.
const MAX_BUCKETS: u32 = 1_000_000;

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
        let (of, over) = (HashInput::default(), SaltedPart::default());
        Self { buckets: 10, separator: separator(), of, over }
    }
}

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
    /// Number of buckets, 2 to 65,536, written as by [`Modulo`].
    pub buckets: u32,
    /// The text between the bucket and the row. The default is `|`. It may be empty.
    #[serde(default = "separator")]
    pub separator: String,
}

fn separator() -> String {
    SEPARATOR.to_owned()
}

impl Modulo {
    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        if !(1..=MAX_BUCKETS).contains(&self.buckets) {
            return Err(RecipeError::settings(format!(
                "the number of buckets cannot be {}: give 1 to {MAX_BUCKETS}",
                self.buckets
            )));
        }
        let kind = SaltKind::Bucket { count: self.buckets, of: Some(self.of) };
        Ok(Salt::new(kind, &self.over, &self.separator, SEPARATOR))
    }
}

impl RandomSalt {
    /// Creates settings for this number of buckets, with the separator `|`.
    pub fn new(buckets: u32) -> Self {
        Self { buckets, separator: separator() }
    }

    pub(super) fn salt(&self) -> Result<Salt, RecipeError> {
        if !(2..=MAX_RANGES).contains(&self.buckets.into()) {
            return Err(RecipeError::settings(format!(
                "the number of random buckets cannot be {}: give 2 to {MAX_RANGES}, because reads scan each",
                self.buckets
            )));
        }
        // The count is far below 2^64, so the modulus of a drawn number favors no bucket.
        let kind = SaltKind::Bucket { count: self.buckets, of: None };
        Ok(Salt::new(kind, &SaltedPart::Whole, &self.separator, SEPARATOR))
    }
}

#[cfg(test)]
mod tests {
    use crate::{HashInput, KeyDesign, Modulo};

    #[test]
    fn accepts_only_the_exact_digits_of_a_salt() {
        for (buckets, salt) in [(10, "07"), (100, "07"), (1_000, "107")] {
            let settings = Modulo { buckets, of: HashInput::Number, ..Modulo::default() };
            let design = KeyDesign::new(settings).unwrap();
            let decode = |salt: &str| design.decode_key(format!("{salt}|12107").as_bytes());
            assert_eq!(decode(salt).unwrap(), "12107");
            for wrong in ["", "7", "08", "17", "007", "0107", "0g", "2107"] {
                assert!(decode(wrong).is_err(), "{buckets}: {wrong}");
            }
            assert!(design.decode_key(b"00|no number").is_err());
        }
    }
}
