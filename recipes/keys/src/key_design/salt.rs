//! The salt: a few bytes before the row that decide its location in the table.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, Excerpt};

use super::hash_input::HashInput;
use super::salted_part::SaltedPart;
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

    /// Returns the operand of the modulus, or `None` if this is another salt.
    fn hash_input(&self) -> Option<HashInput> {
        None
    }

    /// Returns the row hasher, or `None` if this is another salt.
    fn row_hasher(&self) -> Option<&RowHasher> {
        None
    }

    /// Rejects a salt that does not match its part or, for drawn salts, that cannot be drawn.
    fn check(&self, salt: &[u8], part: &[u8]) -> Result<(), String> {
        check_computed(self, salt, part)
    }
}

/// Computes the salt of a part again, and rejects another salt.
pub(super) fn check_computed<S: Salt + ?Sized>(
    kind: &S,
    salt: &[u8],
    part: &[u8],
) -> Result<(), String> {
    let mut right = Vec::with_capacity(kind.width());
    match kind.write(part, None, &mut right) {
        Err(error) => Err(error.to_string()),
        Ok(()) if right == salt => Ok(()),
        Ok(()) => Err(format!(
            "its salt is {}, but that of its row is {}",
            Excerpt::new(salt),
            Excerpt::new(&right)
        )),
    }
}

/// A salt, its input, and the separator after it.
#[derive(Clone, Debug)]
pub(super) struct SaltSpec {
    pub(super) salt: Arc<dyn Salt>,
    /// The part of a row from which the salt is computed.
    pub(super) part: SaltedPart,
    pub(super) separator: String,
    /// The separator that descriptions of the design leave out.
    pub(super) usual_separator: &'static str,
}

impl SaltSpec {
    /// Returns the number of bytes before the encoded row.
    pub(super) fn head_len(&self) -> usize {
        self.salt.width() + self.separator.len()
    }

    /// Returns the salt with a number, and its separator.
    pub(super) fn nth_head(&self, number: u64) -> Vec<u8> {
        [self.salt.nth(number).as_ref(), self.separator.as_bytes()].concat()
    }
}

/// A source of random numbers for drawn salts.
#[derive(Clone)]
pub(super) struct SaltSource(Arc<dyn Fn() -> u64 + Send + Sync>);

impl SaltSource {
    pub(super) fn new(draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }

    pub(super) fn draw(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for SaltSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SaltSource")
    }
}
