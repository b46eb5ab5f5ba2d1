//! The handle of the recipe: a key prefix and a hash scheme.

use std::sync::Arc;

use super::digits::HASH_LEN;
use super::scheme::HashScheme;
use crate::error::RecipeError;
use crate::java_quote::java_quote;

/// A recipe that spreads rows evenly over a table by a short hash between a prefix and the row.
///
/// A hasher is only configuration: cloning it costs one reference count, and any number of threads
/// may share one.
///
/// # Examples
///
/// ```
/// use fluo_keys::RowHasher;
///
/// let hasher = RowHasher::new("p")?;
/// let key = hasher.add(b"org.wikipedia/accumulo");
/// assert_eq!(key, "p:1yl0:org.wikipedia/accumulo");
/// assert_eq!(hasher.remove(&key)?, b"org.wikipedia/accumulo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowHasher {
    /// The prefix and its colon, with which every key begins.
    head: Arc<str>,
    scheme: HashScheme,
}

impl RowHasher {
    /// Creates a hasher with the scheme of Apache Fluo, [`HashScheme::Murmur3Base36`].
    ///
    /// Every non-empty text is a valid prefix. Keep it short, because every key repeats it.
    ///
    /// # Errors
    ///
    /// [`Settings`](crate::RecipeErrorKind::Settings) if the prefix has no characters.
    pub fn new(prefix: impl AsRef<str>) -> Result<Self, RecipeError> {
        Self::with_scheme(prefix, HashScheme::default())
    }

    /// Creates a hasher with another scheme.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_scheme(prefix: impl AsRef<str>, scheme: HashScheme) -> Result<Self, RecipeError> {
        let prefix = prefix.as_ref();
        if prefix.is_empty() {
            // Rows without a prefix could not be distinguished from those of another recipe in the
            // same table.
            return Err(RecipeError::settings(
                "the prefix of a row hasher is empty: give at least one character, such as `p`",
            ));
        }
        Ok(Self { head: format!("{prefix}:").into(), scheme })
    }

    /// Returns the prefix, without the colon that follows it in a key.
    pub fn prefix(&self) -> &str {
        self.head.strip_suffix(':').unwrap_or(&self.head)
    }

    /// Returns the hash scheme.
    pub fn scheme(&self) -> HashScheme {
        self.scheme
    }

    /// Returns the four characters of the row's hash.
    #[inline]
    pub fn hash(&self, row: &[u8]) -> [u8; HASH_LEN] {
        self.scheme.hash(row)
    }

    /// Returns the row's hash as a number, from 0 to below [`HashScheme::space`].
    #[inline]
    pub fn hash_number(&self, row: &[u8]) -> u32 {
        self.scheme.number(row)
    }

    /// Returns the part of a table's group regex that matches this hasher: its prefix and colon,
    /// quoted by [`java_quote`].
    pub fn group_regex(&self) -> String {
        java_quote(&self.head)
    }

    pub(super) fn head(&self) -> &[u8] {
        self.head.as_bytes()
    }
}
