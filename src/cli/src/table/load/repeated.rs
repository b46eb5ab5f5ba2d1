//! Rows that are loaded under a key that another row of the same load has.
//!
//! A table has one of them, so that a file of more lines than rows is no mistake of the table's. Only the keys of one
//! load are compared: what an earlier load wrote does not count, and a file that is loaded again repeats nothing.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Most keys that are remembered: as many as a hash table of 8 Mi places holds, which takes 75 MB.
const MOST_KEYS: usize = (8 << 20) / 8 * 7;

/// The keys of a load so far.
#[derive(Debug)]
pub(super) struct Keys {
    hasher: RandomState,
    /// Two of 7 million keys have the same hash once in 700,000 loads.
    hashes: HashSet<u64>,
    most: usize,
    repeated: Repeated,
}

/// Rows whose key another row had before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) rows: u64,
    /// Whether there may be more of them, as not all keys could be remembered.
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

    /// Returns how many rows had a key that was there before.
    pub(super) fn repeated(&self) -> Repeated {
        self.repeated
    }
}

impl Repeated {
    /// Returns what is said after the number of rows; nothing if no key is repeated.
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
    fn each_row_but_the_first_of_a_key_counts() {
        let found = repeated(9, &["a", "b", "a", "a", "c", "b"]);
        assert_eq!(
            found.sentence(),
            "; 3 of them under a key that another line had"
        );
        assert_eq!(repeated(9, &["a", "b"]).sentence(), "");
    }

    #[test]
    fn keys_beyond_the_bound_make_it_a_lower_bound() {
        let found = repeated(2, &["a", "b", "c", "c", "a"]);
        assert_eq!(
            found.sentence(),
            "; at least 1 of them under a key that another line had"
        );
    }
}
