//! How many keys fall together, because they share what their salt is made of.

use std::collections::HashMap;

use serde::Serialize;

use crate::number::{count, float};

/// How large the salted parts of keys are. Keys that share one fall into one tablet, by design: how they fall is one
/// throw, and not one for each.
///
/// What is never told apart counts as a part: in designs without a salt a row, in those that draw salts each key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartSizes {
    /// How many different ones there are.
    pub different: u64,
    /// How many keys the largest has.
    pub largest: u64,
    /// How many keys share the part of a key, on the mean over keys: with `w` keys in a part, `sum of w^2 / sum of w`.
    /// If parts are thrown at tablets, the variance of a load is this times that of single keys.
    pub of_a_key: f64,
}

impl PartSizes {
    /// Of the part of each key.
    pub(super) fn of(parts: impl Iterator<Item = u64>) -> Self {
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
    fn large_parts_count_by_their_keys() {
        let sizes = PartSizes::of([7, 8, 7, 7, 9].into_iter());
        assert_eq!((sizes.different, sizes.largest), (3, 3));
        assert!((sizes.of_a_key - 2.2).abs() < 1e-9, "{sizes:?}");
    }

    #[test]
    fn no_keys_have_no_parts() {
        let sizes = PartSizes::of(std::iter::empty());
        assert_eq!((sizes.different, sizes.largest), (0, 0));
        assert!(sizes.of_a_key.abs() < 1e-9);
    }
}
