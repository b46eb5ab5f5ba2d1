//! The builder of a row hasher.

use super::hasher::RowHasher;
use super::scheme::HashScheme;
use crate::error::RecipeError;

/// A builder of a [`RowHasher`]; from [`RowHasher::builder`].
///
/// # Examples
///
/// ```
/// use fluo_keys::{HashScheme, RowHasher};
///
/// let hasher = RowHasher::builder("p").scheme(HashScheme::Sha1Base32).build()?;
/// assert_eq!(hasher.scheme(), HashScheme::Sha1Base32);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct RowHasherBuilder {
    prefix: String,
    scheme: HashScheme,
}

impl RowHasherBuilder {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            prefix,
            scheme: HashScheme::default(),
        }
    }

    /// Sets the hash scheme. The default is [`HashScheme::Murmur3Base36`], as in Fluo.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{HashScheme, RowHasher};
    ///
    /// let hasher = RowHasher::builder("p").scheme(HashScheme::Sha1Base32).build()?;
    /// assert_eq!(hasher.scheme().name(), "sha1-base32");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn scheme(mut self, scheme: HashScheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Returns the finished hasher.
    ///
    /// # Errors
    ///
    /// [`Settings`](crate::RecipeErrorKind::Settings) if the prefix has no characters.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// assert!(RowHasher::builder("p").build().is_ok());
    /// assert!(RowHasher::builder("").build().is_err());
    /// ```
    pub fn build(self) -> Result<RowHasher, RecipeError> {
        if self.prefix.is_empty() {
            // Rows without a prefix could not be distinguished from those of another recipe in the
            // same table.
            return Err(RecipeError::settings(
                "the prefix of a row hasher is empty: give at least one character, such as `p`",
            ));
        }
        Ok(RowHasher::from_parts(&self.prefix, self.scheme))
    }
}
