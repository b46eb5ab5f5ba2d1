//! `modulo` and `random-salt`: numbered buckets before the row.

use fluo_table::{Bytes, Escaped};
use serde::{Deserialize, Serialize};

use super::unsalted::Unsalted;
use crate::error::RecipeError;
use crate::key_design::hash_input::HashInput;
use crate::key_design::parts::DesignParts;
use crate::key_design::salt::{Salt, SaltSource, SaltSpec, SaltedPart};
use crate::key_design::scan_cost::MAX_RANGES;

/// The default separator.
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
        Self {
            buckets: 10,
            separator: separator(),
            of: HashInput::default(),
            over: SaltedPart::default(),
        }
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
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        DesignParts::new("modulo", Some(self.salt()?), Unsalted {})
    }

    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        if !(1..=MAX_BUCKETS).contains(&self.buckets) {
            return Err(RecipeError::settings(format!(
                "the number of buckets cannot be {}: give 1 to {MAX_BUCKETS}",
                self.buckets
            )));
        }
        let of = Some(self.of);
        let buckets = Buckets::new(self.buckets, of);
        Ok(SaltSpec { of, ..SaltSpec::new(buckets, &self.over, &self.separator, SEPARATOR) })
    }
}

impl RandomSalt {
    /// Creates settings for this number of buckets, with the separator `|`.
    pub fn new(buckets: u32) -> Self {
        let separator = separator();
        Self { buckets, separator }
    }

    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        DesignParts::new("random-salt", Some(self.salt()?), Unsalted {})
    }

    pub(super) fn salt(&self) -> Result<SaltSpec, RecipeError> {
        if !(2..=MAX_RANGES).contains(&self.buckets.into()) {
            return Err(RecipeError::settings(format!(
                "the number of random buckets cannot be {}: give 2 to {MAX_RANGES}, because reads scan each",
                self.buckets
            )));
        }
        let buckets = Buckets::new(self.buckets, None);
        let over = SaltedPart::Whole;
        Ok(SaltSpec::new(buckets, &over, &self.separator, SEPARATOR))
    }
}

/// Buckets `0` to `count - 1`, in decimal digits of one width: two, as is common, or as many as the
/// largest needs.
#[derive(Debug)]
struct Buckets {
    count: u32,
    width: usize,
    /// The operand of the modulus, or `None` if buckets are drawn.
    of: Option<HashInput>,
}

impl Buckets {
    fn new(count: u32, of: Option<HashInput>) -> Self {
        let width = count.saturating_sub(1).to_string().len().max(2);
        Self { count, width, of }
    }

    /// Appends the digits of a bucket. Written without `format!`, which takes ten times as long,
    /// because it runs for every row that is written.
    fn write_digits(&self, bucket: u64, key: &mut Vec<u8>) {
        let start = key.len();
        key.resize(start + self.width, b'0');
        let mut rest = bucket;
        for digit in key.iter_mut().skip(start).rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
    }

    /// Returns the bucket of a salt, or `None` if it is not one. Does not allocate, because scans
    /// check every key that they read.
    fn read(&self, salt: &[u8]) -> Option<u64> {
        let bucket = salt.iter().try_fold(0_u64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })?;
        (salt.len() == self.width && bucket < u64::from(self.count)).then_some(bucket)
    }
}

impl Salt for Buckets {
    fn count(&self) -> u64 {
        self.count.into()
    }

    fn width(&self) -> usize {
        self.width
    }

    /// The count is far below 2^64, so the modulus of a drawn number favors no bucket measurably.
    fn write(
        &self,
        part: &[u8],
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        let bucket = match (self.of, source) {
            (Some(of), _) => of.modulo(part, self.count)?,
            (None, Some(source)) => (source.0)() % self.count(),
            (None, None) => {
                return Err(RecipeError::settings(
                    "the design has no source of random numbers: set one by `with_salt_source`",
                ));
            }
        };
        self.write_digits(bucket, key);
        Ok(())
    }

    fn nth(&self, number: u64) -> Bytes {
        let mut salt = Vec::with_capacity(self.width);
        self.write_digits(number, &mut salt);
        salt.into()
    }

    fn meaning(&self) -> String {
        let count = self.count;
        match self.of {
            Some(HashInput::JavaHash) => format!("Java's String.hashCode modulo {count}"),
            Some(HashInput::Number) => format!("the number modulo {count}"),
            None => format!("drawn from {count} buckets"),
        }
    }

    fn is_computed(&self) -> bool {
        self.of.is_some()
    }

    fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        let right = match self.of {
            Some(of) => {
                let right = of.modulo(part, self.count);
                Some(right.map_err(|error| error.to_string())?)
            }
            None => None,
        };
        let found = self.read(salt);
        if found.is_some() && right.is_none_or(|right| found == Some(right)) {
            return Ok(());
        }
        let expected = match right {
            Some(right) => format!("that of its row is `{}`", Escaped(&self.nth(right))),
            None => {
                let last = self.nth(self.count() - 1);
                format!("salts are `{}` to `{}`", Escaped(&self.nth(0)), Escaped(&last))
            }
        };
        Err(format!("its salt is `{}`, but {expected}", Escaped(salt)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_the_exact_digits_of_a_salt() {
        for (count, salt) in [(10, "07"), (100, "07"), (1_000, "107")] {
            let buckets = Buckets::new(count, Some(HashInput::Number));
            let mut written = Vec::new();
            buckets.write(b"12107", None, &mut written).unwrap();
            assert_eq!(written, salt.as_bytes());
            assert!(buckets.check(&written, b"12107").is_ok(), "{count}");
            for wrong in ["", "7", "08", "17", "007", "0107", "0g", "2107"] {
                let checked = buckets.check(wrong.as_bytes(), b"12107");
                assert!(checked.is_err(), "{count}: {wrong}");
            }
            assert!(buckets.check(b"00", b"no number").is_err());
        }
    }
}
