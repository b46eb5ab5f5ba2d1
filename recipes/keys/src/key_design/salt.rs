//! The salt: a few bytes before the row that decide its location in the table.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, Escaped, Excerpt, counted};
use serde::{Deserialize, Serialize};

use super::hash_input::HashInput;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

/// A kind of salt. All salts of one design have the same width.
pub(super) trait Salt: fmt::Debug + Send + Sync {
    /// Returns the number of different salts; at least one.
    fn count(&self) -> u64;

    /// Returns the width of a salt in bytes.
    fn width(&self) -> usize;

    /// Appends the salt of a part of a row. A drawn salt comes from the source.
    ///
    /// # Errors
    ///
    /// Fails if the part has no salt, such as text for a modulus of numbers, or if a drawn salt has
    /// no source.
    fn write(
        &self,
        part: &[u8],
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError>;

    /// Returns the salt with this number, counted from 0 in byte order. The number is below
    /// [`count`](Self::count).
    fn nth(&self, number: u64) -> Bytes;

    /// Describes the salt for a reader.
    fn meaning(&self) -> String;

    /// Checks whether the salt of a part is always the same, so that it determines the location of
    /// a row.
    fn is_computed(&self) -> bool {
        true
    }

    /// Rejects a salt that does not match its part or, for drawn salts, that cannot be drawn.
    fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        let mut right = Vec::with_capacity(self.width());
        match self.write(part, None, &mut right) {
            Err(error) => Err(error.to_string()),
            Ok(()) if right == salt => Ok(()),
            Ok(()) => Err(format!(
                "its salt is {}, but that of its row is {}",
                Excerpt::new(salt),
                Excerpt::new(&right)
            )),
        }
    }

    /// Returns the points between this many tablets, and the weight of each tablet.
    ///
    /// Tablet `i` begins at salt `i * salts / tablets`, rounded down.
    fn split(&self, tablets: u32) -> Result<(Vec<Bytes>, Vec<u64>), RecipeError> {
        let count = self.count();
        if u64::from(tablets) > count {
            return Err(RecipeError::splits(format!(
                "{tablets} tablets are more than {}: give at most {count}",
                counted(usize::try_from(count).unwrap_or(usize::MAX), "salt")
            )));
        }
        let start = |tablet: u32| {
            let start = u128::from(tablet) * u128::from(count) / u128::from(tablets);
            u64::try_from(start).unwrap_or(u64::MAX)
        };
        let points = (1..tablets).map(|tablet| self.nth(start(tablet)));
        let weights = (0..tablets).map(|tablet| start(tablet + 1) - start(tablet));
        Ok((points.collect(), weights.collect()))
    }

    /// Returns the row hasher, or `None` if this is another salt.
    fn row_hasher(&self) -> Option<&RowHasher> {
        None
    }
}

/// A salt, its input, and the separator after it.
#[derive(Clone, Debug)]
pub(super) struct SaltSpec {
    pub(super) salt: Arc<dyn Salt>,
    /// The part of a row from which the salt is computed.
    pub(super) over: SaltedPart,
    /// The description of this part; empty for the usual one.
    pub(super) over_text: String,
    /// The operand of a modulus.
    pub(super) of: Option<HashInput>,
    pub(super) separator: String,
    /// The separator that descriptions of the design leave out.
    pub(super) usual_separator: &'static str,
}

impl SaltSpec {
    pub(super) fn new(
        salt: impl Salt + 'static,
        over: &SaltedPart,
        separator: &str,
        usual_separator: &'static str,
    ) -> Self {
        Self {
            salt: Arc::new(salt),
            over: over.clone(),
            over_text: over.to_string(),
            of: None,
            separator: separator.to_owned(),
            usual_separator,
        }
    }

    pub(super) fn head_len(&self) -> usize {
        self.salt.width() + self.separator.len()
    }

    /// Returns the salt with a number, and its separator.
    pub(super) fn nth_head(&self, number: u64) -> Vec<u8> {
        [self.salt.nth(number).as_ref(), self.separator.as_bytes()].concat()
    }

    /// Appends the salt of a part of a row, and its separator.
    pub(super) fn write_head(
        &self,
        part: &[u8],
        source: Option<&SaltSource>,
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        self.salt.write(part, source, key)?;
        key.extend_from_slice(self.separator.as_bytes());
        Ok(())
    }
}

/// Describes the salt and its input, and the separator if it is not the usual one.
impl fmt::Display for SaltSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.salt.meaning(), self.over_text)?;
        match self.separator.as_str() {
            separator if separator == self.usual_separator => Ok(()),
            "" => f.write_str(", without a separator"),
            separator => write!(f, ", then `{}`", Escaped(separator.as_bytes())),
        }
    }
}

/// The part of a row from which its salt is computed.
///
/// Rows with the same part have the same salt and are stored together: a scan within one part reads
/// one range of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum SaltedPart {
    /// The whole row.
    #[default]
    Whole,
    /// The text before the first occurrence of this separator, or the whole row if it does not
    /// occur.
    Before(String),
    /// This number of leading bytes, or the whole row if it is shorter.
    First(usize),
    /// This number of leading fields of a composite row.
    Fields(usize),
    /// The entity of a row with a time: a row of the design `reverse-time` without its time and
    /// separator.
    Entity,
}

/// Writes the salted part, or nothing for the whole row.
impl fmt::Display for SaltedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Before(text) => write!(f, " of the text before `{}`", Escaped(text.as_bytes())),
            Self::First(1) => f.write_str(" of the first byte"),
            Self::First(bytes) => write!(f, " of the first {}", counted(*bytes, "byte")),
            Self::Fields(1) => f.write_str(" of the first field"),
            Self::Fields(fields) => write!(f, " of the first {}", counted(*fields, "field")),
            Self::Entity => f.write_str(" of the entity"),
        }
    }
}

/// A source of random numbers for drawn salts.
#[derive(Clone)]
pub(super) struct SaltSource(pub(super) Arc<dyn Fn() -> u64 + Send + Sync>);

impl fmt::Debug for SaltSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SaltSource")
    }
}
