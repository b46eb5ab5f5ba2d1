//! Rows of a load whose key another row of the same load has.
//!
//! A table keeps one of them, so fewer rows than lines are not an error of the table. Only the keys
//! of one load are compared, so rows of earlier loads do not count.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Maximum number of remembered keys: the capacity of a hash table with 8 Mi slots, which takes 75
/// MB.
const MOST_KEYS: usize = (8 << 20) / 8 * 7;

/// The keys of a load so far.
#[derive(Debug)]
pub(super) struct Keys {
    hasher: RandomState,
    /// Two of 7 million keys share a hash in one of 700,000 loads.
    hashes: HashSet<u64>,
    most: usize,
    repeated: Repeated,
}

/// The rows whose key an earlier row had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) rows: u64,
    /// True if there may be more of them, because not all keys were remembered.
    pub(super) is_lower_bound: bool,
}

impl Default for Keys {
    fn default() -> Self {
        Self::with_most(MOST_KEYS)
    }
}

impl Keys {
    fn with_most(most: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            hashes: HashSet::new(),
            most,
            repeated: Repeated::default(),
        }
    }

    /// Counts the key of a row.
    pub(super) fn add(&mut self, key: &[u8]) {
        let hash = self.hasher.hash_one(key);
        if self.hashes.contains(&hash) {
            self.repeated.rows += 1;
        } else if self.hashes.len() < self.most {
            self.hashes.insert(hash);
        } else {
            self.repeated.is_lower_bound = true;
        }
    }

    /// Returns the number of rows whose key an earlier row had.
    pub(super) fn repeated(&self) -> Repeated {
        self.repeated
    }
}

impl Repeated {
    /// Returns the end of the message about a load; empty if no key is repeated.
    pub(super) fn sentence(self) -> String {
        let rows = match self.rows {
            0 => return String::new(),
            rows => crate::output::grouped(rows),
        };
        let at_least = if self.is_lower_bound { "at least " } else { "" };
        format!("; {at_least}{rows} of them under a key that another line had")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(most: usize, keys: &[&str]) -> Repeated {
        let mut found = Keys::with_most(most);
        for key in keys {
            found.add(key.as_bytes());
        }
        found.repeated()
    }

    #[test]
    fn counts_all_but_the_first_row_of_a_key() {
        let found = repeated(9, &["a", "b", "a", "a", "c", "b"]);
        assert_eq!(
            found.sentence(),
            "; 3 of them under a key that another line had"
        );
        assert_eq!(repeated(9, &["a", "b"]).sentence(), "");
    }

    #[test]
    fn reports_a_lower_bound_beyond_the_limit() {
        let found = repeated(2, &["a", "b", "c", "c", "a"]);
        assert_eq!(
            found.sentence(),
            "; at least 1 of them under a key that another line had"
        );
    }
}
