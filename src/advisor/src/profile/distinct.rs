//! The number of different keys.

use std::collections::HashSet;
use std::hash::BuildHasher;

use fluo_keys::number::{count, float};
use foldhash::quality::FixedState;
use serde::Serialize;

const KEPT_HASHES: usize = 1 << 20;
/// The standard error of an estimate from between `2^19` and `2^20` hashes: `1.2 / sqrt(2^20)`.
const STANDARD_ERROR: f64 = 1.2 / 1_024.0;

/// The number of different keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Distinct {
    /// The number. Up to 1,048,576 different keys are counted, by 64-bit hashes: the chance that
    /// two of them share a hash is about `2^-25`. An estimate is above that, and at most the number
    /// of all keys.
    pub keys: u64,
    /// The standard error of an estimate, as a share of it: about 0.1 %. 0 if the keys are counted.
    pub standard_error: f64,
}

impl Distinct {
    /// Returns a lower bound on the keys, of this many, that repeat another key.
    ///
    /// The bound is exact if the keys are counted. If they are estimated, it assumes three standard
    /// errors more different keys than the estimate.
    pub fn duplicates_at_least(self, of_keys: u64) -> u64 {
        let most = float(self.keys) * (1.0 + 3.0 * self.standard_error);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float that is no count becomes the nearest one"
        )]
        let most = most as u64;
        of_keys.saturating_sub(most)
    }
}

/// A counter that is exact up to a limit, and then keeps a sample of the hashes (Wegman's adaptive
/// sampling): those whose lowest bits are zero. Each time that the sample is full, one more bit has
/// to be zero.
#[derive(Debug, Default)]
pub(super) struct DistinctKeys {
    hasher: FixedState,
    pushed: u64,
    zero_bits: u32,
    kept: HashSet<u64, FixedState>,
}

impl DistinctKeys {
    pub(super) fn push(&mut self, key: &[u8]) {
        self.pushed += 1;
        let hash = self.hasher.hash_one(key);
        if hash.trailing_zeros() >= self.zero_bits {
            self.kept.insert(hash);
            while self.kept.len() > KEPT_HASHES {
                self.zero_bits += 1;
                self.kept.retain(|hash| hash.trailing_zeros() >= self.zero_bits);
            }
        }
    }

    pub(super) fn finish(&self) -> Distinct {
        let kept = count(self.kept.len());
        match self.zero_bits {
            0 => Distinct { keys: kept, standard_error: 0.0 },
            bits => Distinct {
                keys: (kept << bits).clamp(count(KEPT_HASHES) + 1, self.pushed),
                standard_error: STANDARD_ERROR,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(keys: impl Iterator<Item = u64>) -> Distinct {
        let mut distinct = DistinctKeys::default();
        for key in keys {
            distinct.push(&key.to_be_bytes());
        }
        distinct.finish()
    }

    #[test]
    fn counts_few_keys_exactly() {
        let found = distinct((0..3_000).map(|key| key % 1_000));
        assert_eq!((found.keys, found.standard_error), (1_000, 0.0));
        assert_eq!(found.duplicates_at_least(3_000), 2_000);
        assert_eq!(distinct(0..1 << 20).keys, 1 << 20);
    }

    /// A file of 3,178,584 different keys was reported as "about 3,196,819 different": more than
    /// there were. Half of all estimates are above the true number.
    #[test]
    fn an_estimate_is_at_most_the_number_of_keys() {
        let found: Vec<_> =
            (0..8_u64).map(|from| distinct((from << 32..).take(1_100_000)).keys).collect();
        assert!(found.iter().all(|keys| (1_048_577..=1_100_000).contains(keys)));
        assert!(found.contains(&1_100_000), "no estimate is too large");
    }

    #[test]
    fn estimates_many_keys_within_the_stated_error() {
        let found = distinct((0..4_000_000).map(|key| key % 2_000_000));
        let off = (float(found.keys) / 2_000_000.0 - 1.0).abs();
        assert!(off < 3.0 * STANDARD_ERROR, "{off}");
        let duplicates = found.duplicates_at_least(4_000_000);
        assert!((1_980_000..=2_000_000).contains(&duplicates), "{duplicates}");
    }
}
