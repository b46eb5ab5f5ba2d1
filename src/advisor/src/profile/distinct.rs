//! The number of different keys.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use hyperloglockless::HyperLogLog;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::number::float;

/// The maximum number of different keys that are counted exactly.
const COUNTED_KEYS: usize = 1 << 20;
/// The binary logarithm of the number of registers of the estimate.
const PRECISION: u8 = 14;
/// The standard error of a HyperLogLog with `2^14` registers: `1.04 / sqrt(2^14)`.
const STANDARD_ERROR: f64 = 1.04 / 128.0;

/// The number of different keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
#[non_exhaustive]
pub enum Distinct {
    /// Counted, up to 1,048,576 different keys. Keys are compared by 128-bit hashes (XXH3): the
    /// chance that two of 1,048,576 keys share a hash is below `2^-88`.
    Counted {
        /// The count.
        keys: u64,
    },
    /// Estimated by a HyperLogLog with 16,384 registers.
    Estimated {
        /// The estimate. It is above 1,048,576, because that many keys were counted, and at most
        /// the number of all keys.
        keys: u64,
        /// The standard error, as a share of the estimate: 0.8 %.
        standard_error: f64,
    },
}

impl Default for Distinct {
    fn default() -> Self {
        Self::Counted { keys: 0 }
    }
}

impl Distinct {
    /// Returns the number of different keys, counted or estimated.
    #[must_use]
    pub fn keys(&self) -> u64 {
        match self {
            Self::Counted { keys } | Self::Estimated { keys, .. } => *keys,
        }
    }

    /// Returns a lower bound on the keys, of this many, that repeat another key.
    ///
    /// The bound is exact if the keys are counted. If they are estimated, it is very likely but not
    /// certain: it assumes three standard errors more different keys than the estimate, which the
    /// true number exceeds about once in 700 times.
    #[must_use]
    pub fn duplicates_at_least(&self, of_keys: u64) -> u64 {
        match self {
            Self::Counted { keys } => of_keys.saturating_sub(*keys),
            Self::Estimated {
                keys,
                standard_error,
            } => {
                let most = float(*keys) * (1.0 + 3.0 * standard_error);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float that is no count becomes the nearest one"
                )]
                let most = most as u64;
                of_keys.saturating_sub(most)
            }
        }
    }
}

/// A counter that is exact up to a limit, and keeps an estimate for larger numbers.
pub(super) struct DistinctKeys {
    seed: u64,
    pushed: u64,
    counted: Option<HashSet<u128, FixedState>>,
    estimate: HyperLogLog,
}

impl std::fmt::Debug for DistinctKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counted = self.counted.as_ref().map(HashSet::len);
        f.debug_struct("DistinctKeys")
            .field("counted", &counted)
            .finish_non_exhaustive()
    }
}

impl DistinctKeys {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            pushed: 0,
            counted: Some(HashSet::with_hasher(FixedState::with_seed(seed))),
            estimate: HyperLogLog::seeded(PRECISION, u128::from(seed)),
        }
    }

    pub(super) fn push(&mut self, key: &[u8]) {
        self.pushed += 1;
        let hash = xxh3_128_with_seed(key, self.seed);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "64 of its bits are a hash too"
        )]
        self.estimate.insert_hash(hash as u64);
        if let Some(counted) = &mut self.counted {
            counted.insert(hash);
            if counted.len() > COUNTED_KEYS {
                self.counted = None;
            }
        }
    }

    pub(super) fn finish(&self) -> Distinct {
        match &self.counted {
            Some(counted) => Distinct::Counted {
                keys: crate::number::count(counted.len()),
            },
            None => Distinct::Estimated {
                keys: self.estimated(),
                standard_error: STANDARD_ERROR,
            },
        }
    }
}

impl DistinctKeys {
    /// Returns the estimate within its bounds: more than were counted, and at most as many as were
    /// pushed.
    fn estimated(&self) -> u64 {
        let estimate = u64::try_from(self.estimate.count()).unwrap_or(u64::MAX);
        estimate
            .max(crate::number::count(COUNTED_KEYS) + 1)
            .min(self.pushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(keys: impl Iterator<Item = u64>) -> Distinct {
        let mut distinct = DistinctKeys::new(5);
        for key in keys {
            distinct.push(&key.to_be_bytes());
        }
        distinct.finish()
    }

    #[test]
    fn counts_few_keys_exactly() {
        let found = distinct((0..3_000).map(|key| key % 1_000));
        assert_eq!(found, Distinct::Counted { keys: 1_000 });
        assert_eq!(found.duplicates_at_least(3_000), 2_000);
        assert_eq!(distinct(0..1 << 20), Distinct::Counted { keys: 1 << 20 });
    }

    /// A file of 3,178,584 different keys was reported as "about 3,196,819 different": more than
    /// there were. Half of all estimates are above the true number.
    #[test]
    fn an_estimate_is_at_most_the_number_of_keys() {
        let mut clamped = 0;
        for seed in 0..8 {
            let mut distinct = DistinctKeys::new(seed);
            (0..1_100_000_u64).for_each(|key| distinct.push(&key.to_be_bytes()));
            let found = distinct.finish().keys();
            assert!((1_048_577..=1_100_000).contains(&found), "{found}");
            clamped += u32::from(found == 1_100_000);
        }
        assert!(clamped > 0, "no seed estimates too much");
    }

    #[test]
    fn estimates_many_keys_within_the_stated_error() {
        let found = distinct((0..4_000_000).map(|key| key % 2_000_000));
        let Distinct::Estimated {
            keys,
            standard_error,
        } = found
        else {
            panic!("{found:?}")
        };
        let off = (float(keys) / 2_000_000.0 - 1.0).abs();
        assert!(off < 3.0 * standard_error, "{off}");
        let duplicates = found.duplicates_at_least(4_000_000);
        assert!(
            duplicates > 1_850_000 && duplicates <= 2_000_000,
            "{duplicates}"
        );
    }
}
