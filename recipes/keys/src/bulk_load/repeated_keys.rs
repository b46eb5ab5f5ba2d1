//! Rows of a load whose key another row of the same load has.
//!
//! A table keeps one of them, so a load of fewer keys than rows is not a fault of the table. Only
//! the keys of one load are compared, so rows of earlier loads do not count.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The rows whose key an earlier row of the load has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedKeys {
    /// The number of these rows.
    pub rows: u64,
    /// `true` if there may be more of them, because not all keys were remembered.
    pub is_lower_bound: bool,
}

/// The keys of a load so far.
#[derive(Debug)]
pub(super) struct SeenKeys {
    hasher: RandomState,
    /// Two of 7 million keys share a hash in one of 700,000 loads.
    hashes: HashSet<u64>,
    most: usize,
    repeated: RepeatedKeys,
}

impl SeenKeys {
    /// Creates an empty set that remembers this number of keys.
    pub(super) fn with_most(most: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            hashes: HashSet::new(),
            most,
            repeated: RepeatedKeys::default(),
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

    /// Returns the rows whose key an earlier row has.
    pub(super) fn repeated(&self) -> RepeatedKeys {
        self.repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(most: usize, keys: &[&str]) -> (u64, bool) {
        let mut seen = SeenKeys::with_most(most);
        for key in keys {
            seen.add(key.as_bytes());
        }
        let RepeatedKeys {
            rows,
            is_lower_bound,
        } = seen.repeated();
        (rows, is_lower_bound)
    }

    #[test]
    fn counts_all_but_the_first_row_of_a_key() {
        assert_eq!(repeated(9, &["a", "b", "a", "a", "c", "b"]), (3, false));
        assert_eq!(repeated(9, &["a", "b"]), (0, false));
    }

    #[test]
    fn reports_a_lower_bound_beyond_the_limit() {
        assert_eq!(repeated(2, &["a", "b", "c", "c", "a"]), (1, true));
    }
}
