//! The sizes of the groups of keys that share a salted part.

use std::collections::HashMap;

use serde::Serialize;

use crate::number::{count, float};

/// The sizes of the salted parts of keys. Keys that share a part are in one tablet by design, so
/// that chance places the part once, and not each key.
///
/// In designs without a salt each row is a part, and in designs with random salts each key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartSizes {
    /// The number of different parts.
    pub different: u64,
    /// The number of keys of the largest part.
    pub largest: u64,
    /// The number of keys that share the part of a key, on average over the keys: with `w` keys in
    /// a part, `sum of w^2 / sum of w`. The variance of the load of a tablet is that of single
    /// keys, multiplied by this figure.
    pub of_a_key: f64,
}

impl PartSizes {
    /// Counts the parts, given as the part of each key.
    pub(super) fn new(parts: impl Iterator<Item = u64>) -> Self {
        let mut sizes: HashMap<u64, u64> = HashMap::new();
        for part in parts {
            *sizes.entry(part).or_default() += 1;
        }
        let keys: u64 = sizes.values().sum();
        let squares: f64 = sizes.values().map(|size| float(*size).powi(2)).sum();
        Self {
            different: count(sizes.len()),
            largest: sizes.values().copied().max().unwrap_or(0),
            of_a_key: squares / float(keys.max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: parts of 3, 1 and 1 keys, so (9 + 1 + 1) / 5.
    #[test]
    fn weights_parts_by_their_keys() {
        let sizes = PartSizes::new([7, 8, 7, 7, 9].into_iter());
        assert_eq!((sizes.different, sizes.largest), (3, 3));
        assert!((sizes.of_a_key - 2.2).abs() < 1e-9, "{sizes:?}");
    }

    #[test]
    fn the_sizes_of_no_keys_are_zero() {
        let sizes = PartSizes::new(std::iter::empty());
        assert_eq!((sizes.different, sizes.largest), (0, 0));
        assert!(sizes.of_a_key.abs() < 1e-9);
    }
}
