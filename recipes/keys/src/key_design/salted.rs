//! The common beginning of a design's keys, and the input of their salts.

use std::borrow::Cow;

use fluo_table::Bytes;

use super::design::KeyDesign;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

impl KeyDesign {
    /// Returns the row hasher, or `None` if this is another design.
    #[must_use]
    pub fn row_hasher(&self) -> Option<&RowHasher> {
        self.parts.salt.as_ref()?.salt.row_hasher()
    }

    /// Returns the bytes with which every key begins. Empty if keys have no common beginning; such
    /// a design must be the only one in its table.
    #[must_use]
    pub fn prefix(&self) -> Bytes {
        let hasher = self.row_hasher();
        hasher.map_or_else(Bytes::new, |hasher| format!("{}:", hasher.prefix()).into())
    }

    /// Checks whether salts are drawn, so that the key of a row cannot be computed again.
    #[must_use]
    pub fn draws_salts(&self) -> bool {
        let salted = self.parts.salt.as_ref();
        salted.is_some_and(|salted| !salted.salt.is_computed())
    }

    /// Returns the part of a row from which its salt is computed, or `None` if the design has no
    /// salt or draws it.
    ///
    /// Rows with the same part have the same salt and are stored together.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design.
    pub fn salted_part<'a>(&self, row: &'a [u8]) -> Result<Option<Cow<'a, [u8]>>, RecipeError> {
        let salted = self.parts.salt.as_ref();
        let salted = salted.filter(|salted| salted.salt.is_computed());
        let part = salted.map(|salted| self.parts.encoding.part_of(row, &salted.part));
        part.transpose()
    }

    /// Checks whether several rows can have the same [salted part](Self::salted_part), so that they
    /// are stored together.
    #[must_use]
    pub fn keeps_rows_together(&self) -> bool {
        let salted = self.parts.salt.as_ref();
        salted.is_some_and(|salted| {
            salted.salt.is_computed() && self.parts.encoding.shares_parts(&salted.part)
        })
    }

    /// Returns the row after the salt of a key, whether or not the salt matches the row.
    ///
    /// [`decode_key`](Self::decode_key) also checks the salt; use it to read a table.
    ///
    /// # Errors
    ///
    /// Fails if the key is too short for a salt, or if the rest is not a row of this design.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{DigestSalt, KeyDesign};
    ///
    /// let design = KeyDesign::new(DigestSalt { separator: ":".to_owned(), ..DigestSalt::default() })?;
    /// assert!(design.decode_key(b"00:user7").is_err());
    /// assert_eq!(design.row_behind_salt(b"00:user7")?, "user7");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn row_behind_salt(&self, key: &[u8]) -> Result<Bytes, RecipeError> {
        let written = self.unsalted(key)?;
        let mut row = Vec::with_capacity(written.len());
        self.parts.encoding.read(written, &mut row)?;
        Ok(row.into())
    }

    /// Checks whether another design writes rows after their salt in the same way.
    pub(crate) fn has_encoding_of(&self, other: &Self) -> bool {
        self.parts.encoding.writes_as(&*other.parts.encoding)
    }

    /// Returns the salt of a key with its separator; empty if the design has no salt.
    pub(crate) fn head_of<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key.get(..self.head_len()).unwrap_or(key)
    }
}
