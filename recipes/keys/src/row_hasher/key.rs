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
use fluo_table::Excerpt;

use super::digits::HASH_LEN;
use super::hasher::RowHasher;
use super::scheme::HashScheme;
use crate::error::RecipeError;

pub(super) const SEPARATOR: u8 = b':';

impl RowHasher {
    /// Returns the key of a row in a new allocation.
    pub fn add(&self, row: impl AsRef<[u8]>) -> Bytes {
        let row = row.as_ref();
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
            _ => Err(RecipeError::key(format!("key {} {}", Excerpt::new(key), self.flaw(key)))),
        }
    }

    /// Appends the bytes with which every key of a hash begins: the prefix, its colon, and the
    /// digits of a number below [`HashScheme::space`](super::HashScheme::space).
    pub(crate) fn write_head(&self, number: u32, key: &mut Vec<u8>) {
        key.extend_from_slice(self.head());
        key.extend_from_slice(&self.scheme().digits(number));
    }

    /// Splits a key into its hash and its row, without checking either.
    fn cut<'k>(&self, key: &'k [u8]) -> Option<(&'k [u8; HASH_LEN], &'k [u8])> {
        let rest = key.strip_prefix(self.head())?;
        let (hash, rest) = rest.split_first_chunk()?;
        Some((hash, rest.strip_prefix(&[SEPARATOR])?))
    }

    fn key_len(&self, row: &[u8]) -> usize {
        self.head().len() + HASH_LEN + 1 + row.len()
    }

    /// Returns the first flaw of a rejected key, as the rest of a sentence.
    ///
    /// Decoding takes the shortest way to the row. Only if that fails do the checks run one after
    /// the other.
    #[cold]
    fn flaw(&self, key: &[u8]) -> String {
        let (ours, head) = (self.scheme(), Excerpt::new(self.head()));
        if !key.starts_with(self.head()) {
            return format!("does not begin with {head}, as the keys of this hasher do");
        }
        let Some((found, row)) = self.cut(key) else {
            return format!("does not have 4 characters of hash and `:` after {head}");
        };
        let shown = Excerpt::new(found);
        let mut others = HashScheme::ALL.iter().filter(|scheme| **scheme != ours);
        if let Some(theirs) = others.find(|scheme| scheme.hash(row) == *found) {
            return format!("has hash {shown} of scheme {theirs}, but this hasher is {ours}");
        }
        let right = Excerpt::new(&self.hash(row));
        let row = Excerpt::new(row);
        format!("has hash {shown}, but scheme {ours} gives {right} for its row {row}")
    }
}
