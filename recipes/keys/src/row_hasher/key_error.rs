//! The diagnosis of a rejected key.
//!
//! Decoding a key takes the shortest way to its row. Only if that fails do the checks run one after
//! the other, to find the first that explains the failure. Offsets in messages count bytes of the
//! key from 0.

use fluo_table::Excerpt;

use super::digits::HASH_LEN;
use super::hasher::RowHasher;
use super::key::SEPARATOR;
use super::scheme::HashScheme;
use crate::error::RecipeError;

impl RowHasher {
    /// Returns the error for a key that [`remove`](RowHasher::remove) does not accept.
    #[cold]
    pub(super) fn refusal(&self, key: &[u8]) -> RecipeError {
        let what = self.flaw(key);
        RecipeError::key(format!("key {} {what}", Excerpt::new(key)))
    }

    /// Returns the first flaw of a key, as the rest of a sentence.
    fn flaw(&self, key: &[u8]) -> String {
        if key.len() < self.key_len(b"") {
            return self.too_short(key);
        }
        let Some(rest) = key.strip_prefix(self.head()) else {
            let head = Excerpt::new(self.head());
            return format!("does not begin with {head}, as the keys of this hasher do");
        };
        let Some((hash, rest)) = rest.split_first_chunk() else {
            return self.too_short(key);
        };
        self.other_scheme(key)
            .or_else(|| self.wrong_digit(hash))
            .or_else(|| self.wrong_separator(rest))
            .unwrap_or_else(|| self.wrong_hash(hash, rest))
    }

    fn too_short(&self, key: &[u8]) -> String {
        format!(
            "has {} bytes, but the keys of this hasher have at least {}: {}, 4 characters of hash, and `:`",
            key.len(),
            self.key_len(b""),
            Excerpt::new(self.head())
        )
    }

    /// Checks for another scheme before the digits are checked.
    ///
    /// A `y` is not a digit of base 32, but that message would not help a user whose table has the
    /// other scheme.
    fn other_scheme(&self, key: &[u8]) -> Option<String> {
        let (hash, row) = self.cut(key)?;
        let ours = self.scheme();
        let mut others = HashScheme::ALL.iter().filter(|scheme| **scheme != ours);
        let theirs = others.find(|scheme| scheme.hash(row) == *hash)?;
        Some(format!(
            "is of another hash scheme: hash {} is that of scheme {theirs}, but this hasher is {ours}",
            Excerpt::new(hash)
        ))
    }

    fn wrong_digit(&self, hash: &[u8; HASH_LEN]) -> Option<String> {
        let scheme = self.scheme();
        let wrong = |(_, digit): &(usize, u8)| !scheme.has_digit(*digit);
        let (index, found) = hash.iter().copied().enumerate().find(wrong)?;
        Some(format!(
            "has {} at offset {}, but a hash of scheme {scheme} has only the characters {} there",
            Excerpt::new(&[found]),
            self.head().len() + index,
            scheme.alphabet()
        ))
    }

    fn wrong_separator(&self, rest: &[u8]) -> Option<String> {
        let found = rest.first().copied().filter(|found| *found != SEPARATOR)?;
        Some(format!(
            "has {} at offset {}, but `:` follows the 4 characters of hash there",
            Excerpt::new(&[found]),
            self.head().len() + HASH_LEN
        ))
    }

    fn wrong_hash(&self, hash: &[u8; HASH_LEN], rest: &[u8]) -> String {
        let row = rest.strip_prefix(&[SEPARATOR]).unwrap_or(rest);
        format!(
            "has hash {}, but scheme {} gives {} for its row {}",
            Excerpt::new(hash),
            self.scheme(),
            Excerpt::new(&self.hash(row)),
            Excerpt::new(row)
        )
    }
}
