//! How many different keys there are.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use hyperloglockless::HyperLogLog;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::number::float;

/// Up to this many different keys are counted exactly.
const COUNTED_KEYS: usize = 1 << 20;
/// The estimate has `2^14` registers.
const PRECISION: u8 = 14;
/// Of a HyperLogLog with `2^14` registers: `1.04 / sqrt(2^14)`.
const STANDARD_ERROR: f64 = 1.04 / 128.0;

/// How many different keys there are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
#[non_exhaustive]
pub enum Distinct {
    /// Counted, up to 1,048,576 different keys. Keys are told apart by 128-bit hashes (XXH3): the chance that two
    /// of so many share one is below `2^-88`.
    Counted {
        /// The count.
        keys: u64,
    },
    /// Estimated by a HyperLogLog with 16,384 registers.
    Estimated {
        /// The estimate; above 1,048,576, as so many were counted, and never more than there are keys.
        keys: u64,
        /// One standard error, as a share of the estimate: 0.8 %.
        standard_error: f64,
    },
}

impl Default for Distinct {
    fn default() -> Self {
        Self::Counted { keys: 0 }
    }
}

impl Distinct {
    /// The number of different keys, counted or estimated.
    #[must_use]
    pub fn keys(&self) -> u64 {
        match self {
            Self::Counted { keys } | Self::Estimated { keys, .. } => *keys,
        }
    }

    /// How many of this many keys repeat another one: at least so many. Of an estimate that is very likely and not
    /// certain: it is taken at three standard errors above, which the true number passes about once in 700 times.
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

/// Counts exactly as long as it can, and has an estimate ready for when it cannot.
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
    /// Returns the estimate within its known bounds: more than were counted, and not more than were pushed.
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
    fn few_are_counted() {
        let found = distinct((0..3_000).map(|key| key % 1_000));
        assert_eq!(found, Distinct::Counted { keys: 1_000 });
        assert_eq!(found.duplicates_at_least(3_000), 2_000);
        assert_eq!(distinct(0..1 << 20), Distinct::Counted { keys: 1 << 20 });
    }

    /// A file of 3,178,584 different keys was said to have "about 3,196,819 different" of them: more than there are.
    /// Half of all estimates lie above the true number.
    #[test]
    fn an_estimate_is_never_above_the_number_of_keys() {
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
    fn many_are_estimated_within_the_error_that_is_told() {
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
