//! The layout of a hashed key: writing it and reading it back.
//!
//! ```text
//!  prefix            UTF-8 text, at least one byte, may itself hold `:`
//!  ':'               0x3a
//!  hash              4 bytes, digits of the scheme: 0-9a-z or 0-9a-v
//!  ':'               0x3a
//!  row               any bytes, possibly none
//!
//!   p    :    1    y    l    0    :    o    r    g    .    w  ..
//! +----+----+----+----+----+----+----+----+----+----+----+----
//! | 70 | 3a | 31 | 79 | 6c | 30 | 3a | 6f | 72 | 67 | 2e | 77  ..
//! +----+----+----+----+----+----+----+----+----+----+----+----
//!  prefix    '------ hash -----'      '------ row --
//! ```
//!
//! The reader has the prefix and the hash has a fixed length, so no byte is escaped: a `:` in the
//! prefix or in the row is an ordinary byte.

use bytes::Bytes;

use super::digits::HASH_LEN;
use super::hasher::RowHasher;
use crate::error::RecipeError;

/// The byte that follows the hash in a key.
pub(super) const SEPARATOR: u8 = b':';

/// The parts of a hashed key; from [`RowHasher::parts`].
///
/// # Examples
///
/// ```
/// use fluo_keys::RowHasher;
///
/// let hasher = RowHasher::new("p")?;
/// let parts = hasher.parts(b"p:000a:x");
/// assert!(parts.is_err(), "the hash of x is another");
///
/// let parts = hasher.parts(b"p:r2g7:cat")?;
/// assert_eq!((parts.prefix, parts.row), ("p", &b"cat"[..]));
/// assert_eq!((parts.hash, parts.number), (*b"r2g7", 1_262_887));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyParts<'a> {
    /// The prefix, without its colon.
    pub prefix: &'a str,
    /// The four characters of hash.
    pub hash: [u8; HASH_LEN],
    /// The hash as a number, from 0 to below [`HashScheme::space`](super::HashScheme::space).
    pub number: u32,
    /// The user's row.
    pub row: &'a [u8],
}

impl RowHasher {
    /// Returns the key of a row in a new allocation.
    pub fn add(&self, row: &[u8]) -> Bytes {
        let mut key = Vec::with_capacity(self.key_len(row));
        self.add_to(row, &mut key);
        key.into()
    }

    /// Appends the key of a row to a buffer.
    ///
    /// The buffer keeps its contents, so a caller can collect many keys in one buffer, or clear it
    /// before each key. Allocates only if the capacity is used up.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// let hasher = RowHasher::new("p")?;
    /// let mut lines = Vec::new();
    /// for row in [&b"cat"[..], b"dog"] {
    ///     hasher.add_to(row, &mut lines);
    ///     lines.push(b'\n');
    /// }
    /// assert_eq!(lines, b"p:r2g7:cat\np:z9az:dog\n");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[inline]
    pub fn add_to(&self, row: &[u8], key: &mut Vec<u8>) {
        let [a, b, c, d] = self.hash(row);
        key.reserve(self.key_len(row));
        key.extend_from_slice(self.head());
        key.extend_from_slice(&[a, b, c, d, SEPARATOR]);
        key.extend_from_slice(row);
    }

    /// Returns the row of a key, borrowed from the key.
    ///
    /// The checks are, in this order: the length; the prefix; the four digits of the scheme with a
    /// `:` after them; the hash of the row.
    ///
    /// # Errors
    ///
    /// [`Key`](crate::RecipeErrorKind::Key) for a key that this hasher cannot have made. The
    /// message names the failed check, the offset and the expected bytes; if the hash matches in
    /// another scheme, it names that scheme.
    pub fn remove<'k>(&self, key: &'k [u8]) -> Result<&'k [u8], RecipeError> {
        match self.cut(key) {
            Some((hash, row)) if self.hash(row) == *hash => Ok(row),
            _ => Err(self.refusal(key)),
        }
    }

    /// Returns the row of a key as a slice that shares the key's allocation.
    ///
    /// # Errors
    ///
    /// The same as [`remove`](Self::remove).
    pub fn remove_owned(&self, key: &Bytes) -> Result<Bytes, RecipeError> {
        Ok(key.slice_ref(self.remove(key)?))
    }

    /// Returns all parts of a key.
    ///
    /// # Errors
    ///
    /// The same as [`remove`](Self::remove).
    pub fn parts<'a>(&'a self, key: &'a [u8]) -> Result<KeyParts<'a>, RecipeError> {
        let row = self.remove(key)?;
        let number = self.hash_number(row);
        Ok(KeyParts { prefix: self.prefix(), hash: self.scheme().digits(number), number, row })
    }

    /// Splits a key into its hash and its row, without checking either.
    pub(super) fn cut<'k>(&self, key: &'k [u8]) -> Option<(&'k [u8; HASH_LEN], &'k [u8])> {
        let rest = key.strip_prefix(self.head())?;
        let (hash, rest) = rest.split_first_chunk()?;
        Some((hash, rest.strip_prefix(&[SEPARATOR])?))
    }

    pub(super) fn key_len(&self, row: &[u8]) -> usize {
        self.head().len() + HASH_LEN + 1 + row.len()
    }
}
