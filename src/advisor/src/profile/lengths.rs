//! The lengths of keys.

use fluo_keys::number::{count, float, share};
use serde::Serialize;

/// The limit below which each length is counted by itself.
const COUNTED_LENGTHS: usize = 4_096;
/// The limit above which a key is long: each cell of a row stores the key.
const LONG_BYTES: usize = 100;

/// Lengths in bytes, counted over all keys. A percentile of 4,096 bytes or more is the longest
/// length.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LengthProfile {
    /// The shortest length.
    pub min: u64,
    /// The longest length.
    pub max: u64,
    /// The mean; 0 if there are no keys.
    pub mean: f64,
    /// The length that half of the keys do not exceed.
    pub median: u64,
    /// The length that 99 % of the keys do not exceed.
    pub percentile_99: u64,
    /// The number of keys with more than 100 bytes.
    pub above_100: u64,
}

#[derive(Debug)]
pub(super) struct Lengths {
    counted: Box<[u64]>,
    pub(super) keys: u64,
    pub(super) bytes: u64,
    max: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { counted: vec![0; COUNTED_LENGTHS].into(), keys: 0, bytes: 0, max: 0 }
    }
}

impl Lengths {
    pub(super) fn push(&mut self, key: &[u8]) {
        let length = count(key.len());
        self.keys += 1;
        self.bytes = self.bytes.saturating_add(length);
        self.max = self.max.max(length);
        if let Some(counted) = self.counted.get_mut(key.len()) {
            *counted += 1;
        }
    }

    pub(super) fn finish(&self) -> LengthProfile {
        let short: u64 = self.counted.iter().take(LONG_BYTES + 1).sum();
        LengthProfile {
            min: self.percentile(0.0),
            max: self.max,
            mean: float(self.bytes) / float(self.keys.max(1)),
            median: self.percentile(0.5),
            percentile_99: self.percentile(0.99),
            above_100: self.keys - short,
        }
    }

    /// Returns the least length that at least this share of the keys do not exceed.
    fn percentile(&self, wanted: f64) -> u64 {
        let mut keys = 0;
        for (length, counted) in (0..).zip(&self.counted) {
            keys += counted;
            if *counted > 0 && share(keys, self.keys) >= wanted {
                return length;
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(lengths: impl IntoIterator<Item = usize>) -> LengthProfile {
        let mut all = Lengths::default();
        for length in lengths {
            all.push(&vec![b'x'; length]);
        }
        all.finish()
    }

    #[test]
    fn counts_lengths() {
        let found = profile(1..=200);
        assert_eq!((found.min, found.max, found.median), (1, 200, 100));
        assert_eq!((found.percentile_99, found.above_100), (198, 100));
        assert!((found.mean - 100.5).abs() < 1e-9);
        let long = profile([4_095, 4_096, 10_000]);
        assert_eq!((long.min, long.median, long.max), (4_095, 10_000, 10_000));
        assert_eq!(long.above_100, 3);
        assert_eq!(profile([]), LengthProfile::default());
    }
}
