//! The diagnosis of a rejected key.
//!
//! Decoding a key takes the shortest way to its row. Only if that fails do the checks run one after
//! the other, to find the first that explains the failure.

use super::digits::HASH_LEN;
use super::error::KeyError;
use super::hasher::RowHasher;
use super::key::SEPARATOR;
use super::preview::Excerpt;
use super::scheme::HashScheme;

impl RowHasher {
    /// Returns the error for a key that [`remove`](RowHasher::remove) does not accept.
    #[cold]
    pub(super) fn refusal(&self, key: &[u8]) -> KeyError {
        if key.len() < self.key_len(b"") {
            return self.too_short(key);
        }
        let Some(rest) = key.strip_prefix(self.head()) else {
            return self.wrong_prefix(key);
        };
        let Some((hash, rest)) = rest.split_first_chunk() else {
            return self.too_short(key);
        };
        self.other_scheme(key)
            .or_else(|| self.wrong_digit(key, hash))
            .or_else(|| self.wrong_separator(key, rest))
            .unwrap_or_else(|| self.wrong_hash(key, hash, rest))
    }

    fn too_short(&self, key: &[u8]) -> KeyError {
        KeyError::TooShort {
            key: Excerpt::new(key),
            least: self.key_len(b""),
            head: Excerpt::new(self.head()),
        }
    }

    fn wrong_prefix(&self, key: &[u8]) -> KeyError {
        KeyError::WrongPrefix {
            key: Excerpt::new(key),
            head: Excerpt::new(self.head()),
        }
    }

    /// Checks for another scheme before the digits are checked.
    ///
    /// A `y` is not a digit of base 32, but that message would not help a user whose table has the
    /// other scheme.
    fn other_scheme(&self, key: &[u8]) -> Option<KeyError> {
        let (hash, row) = self.cut(key)?;
        let theirs = HashScheme::ALL
            .iter()
            .copied()
            .find(|scheme| *scheme != self.scheme() && scheme.hash(row) == *hash)?;
        Some(KeyError::OtherScheme {
            key: Excerpt::new(key),
            hash: *hash,
            theirs,
            ours: self.scheme(),
        })
    }

    fn wrong_digit(&self, key: &[u8], hash: &[u8; HASH_LEN]) -> Option<KeyError> {
        let scheme = self.scheme();
        let wrong = |(_, digit): &(usize, u8)| !scheme.has_digit(*digit);
        let (index, found) = hash.iter().copied().enumerate().find(wrong)?;
        Some(KeyError::WrongDigit {
            key: Excerpt::new(key),
            offset: self.head().len() + index,
            found,
            scheme,
        })
    }

    fn wrong_separator(&self, key: &[u8], rest: &[u8]) -> Option<KeyError> {
        let found = rest.first().copied().filter(|found| *found != SEPARATOR)?;
        Some(KeyError::WrongSeparator {
            key: Excerpt::new(key),
            offset: self.head().len() + HASH_LEN,
            found,
        })
    }

    fn wrong_hash(&self, key: &[u8], hash: &[u8; HASH_LEN], rest: &[u8]) -> KeyError {
        let row = rest.strip_prefix(&[SEPARATOR]).unwrap_or(rest);
        KeyError::WrongHash {
            key: Excerpt::new(key),
            row: Excerpt::new(row),
            found: *hash,
            right: self.hash(row),
            scheme: self.scheme(),
        }
    }
}
