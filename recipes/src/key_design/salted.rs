//! What the keys of a design have in common, and what their salts are made of.

use std::borrow::Cow;

use fluo_core::Bytes;

use super::design::KeyDesign;
use super::error::DesignError;
use super::form::Form;
use super::part::SaltedPart;
use super::salt::Salt;
use crate::row_hasher::RowHasher;

impl KeyDesign {
    /// The row hasher, where that is the design.
    #[must_use]
    pub fn row_hasher(&self) -> Option<&RowHasher> {
        match &self.halves.salt.as_ref()?.salt {
            Salt::RowHash(hasher) => Some(hasher),
            _ => None,
        }
    }

    /// What every key begins with; empty where keys have nothing in common, so that the design is alone in its
    /// table.
    #[must_use]
    pub fn prefix(&self) -> Bytes {
        let hasher = self.row_hasher();
        hasher.map_or_else(Bytes::new, |hasher| format!("{}:", hasher.prefix()).into())
    }

    /// Whether salts are drawn, so that a row has no key that could be computed again.
    #[must_use]
    pub fn draws_salts(&self) -> bool {
        let salted = self.halves.salt.as_ref();
        salted.is_some_and(|salted| !salted.salt.is_computed())
    }

    /// The part of a row that its salt is made of: rows that share it share their salt, and so lie together. None
    /// where the design has no salt, or one that is drawn.
    ///
    /// # Errors
    /// A row that has no key in this design.
    pub fn salted_part<'a>(&self, row: &'a [u8]) -> Result<Option<Cow<'a, [u8]>>, DesignError> {
        let salted = self.halves.salt.as_ref();
        let salted = salted.filter(|salted| salted.salt.is_computed());
        let part = salted.map(|salted| self.halves.form.part_of(row, salted));
        part.transpose()
    }

    /// Whether several rows can share what their salt is made of, so that they fall together and not each by itself.
    pub(crate) fn keeps_rows_together(&self) -> bool {
        let salted = self.halves.salt.as_ref();
        salted.is_some_and(|salted| {
            let is_whole = salted.part == SaltedPart::Whole;
            salted.salt.is_computed() && (!is_whole || matches!(self.halves.form, Form::Web))
        })
    }

    /// Returns the row behind the salt of a key, whether or not the salt is that of the row.
    ///
    /// # Errors
    /// A key that has no place for a salt, or no row of this design behind it.
    pub(crate) fn row_behind_salt(&self, key: &[u8]) -> Result<Bytes, DesignError> {
        let written = self.unsalted(key)?;
        let mut row = Vec::with_capacity(written.len());
        self.halves.form.read(written, &mut row)?;
        Ok(row.into())
    }

    /// Whether another design writes rows behind their salt as this one does.
    pub(crate) fn has_form_of(&self, other: &Self) -> bool {
        self.halves.form.writes_as(&other.halves.form)
    }

    /// The salt of a key and what parts it from the rest; empty where the design has none.
    pub(crate) fn head_of<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key.get(..self.head_len()).unwrap_or(key)
    }
}
