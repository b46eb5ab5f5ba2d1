//! The handle of the recipe: a key prefix and a hash scheme.

use std::sync::Arc;

use super::builder::RowHasherBuilder;
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
///
/// let splits = hasher.splits(3)?;
/// assert_eq!(splits, ["p:c000", "p:o000", "p:~"]);
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
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// let hasher = RowHasher::new("p")?;
    /// assert_eq!(hasher.add(b"cat"), "p:r2g7:cat");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn new(prefix: impl Into<String>) -> Result<Self, RecipeError> {
        Self::builder(prefix).build()
    }

    /// Returns a builder, to choose the hash scheme.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{HashScheme, RowHasher};
    ///
    /// let hasher = RowHasher::builder("p").scheme(HashScheme::Sha1Base32).build()?;
    /// assert_eq!(hasher.add(b"abc"), "p:l6cj:abc");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn builder(prefix: impl Into<String>) -> RowHasherBuilder {
        RowHasherBuilder::new(prefix.into())
    }

    pub(super) fn from_parts(prefix: &str, scheme: HashScheme) -> Self {
        let head = format!("{prefix}:").into();
        Self { head, scheme }
    }

    /// Returns the prefix, without the colon that follows it in a key.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// assert_eq!(RowHasher::new("p")?.prefix(), "p");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.head.strip_suffix(':').unwrap_or(&self.head)
    }

    /// Returns the hash scheme.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{HashScheme, RowHasher};
    ///
    /// assert_eq!(RowHasher::new("p")?.scheme(), HashScheme::Murmur3Base36);
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[must_use]
    pub fn scheme(&self) -> HashScheme {
        self.scheme
    }

    /// Returns the four characters of the row's hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// assert_eq!(&RowHasher::new("p")?.hash(b"org.wikipedia/accumulo"), b"1yl0");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn hash(&self, row: &[u8]) -> [u8; HASH_LEN] {
        self.scheme.hash(row)
    }

    /// Returns the row's hash as a number, from 0 to below [`HashScheme::space`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// // 1yl0 in base 36.
    /// let number = RowHasher::new("p")?.hash_number(b"org.wikipedia/accumulo");
    /// assert_eq!(number, ((1 * 36 + 34) * 36 + 21) * 36 + 0);
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn hash_number(&self, row: &[u8]) -> u32 {
        self.scheme.number(row)
    }

    /// Returns the part of a table's group regex that matches this hasher: its prefix and colon,
    /// quoted by [`java_quote`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// assert_eq!(RowHasher::new("p")?.group_regex(), r"\Qp:\E");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[must_use]
    pub fn group_regex(&self) -> String {
        java_quote(&self.head)
    }

    /// Returns the prefix and its colon, with which every key begins.
    pub(super) fn head(&self) -> &[u8] {
        self.head.as_bytes()
    }
}
