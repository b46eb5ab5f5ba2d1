//! The lengths of keys.

use serde::Serialize;

use crate::number::{float, share};

/// The limit below which each length is counted by itself; longer ones are counted by powers of
/// two.
const COUNTED_LENGTHS: usize = 4_096;
/// The number of counts for powers of two.
const POWERS: usize = 64;
/// The limit below which a key is short: so few bytes hardly distinguish rows.
pub(crate) const SHORT_BYTES: u64 = 10;
/// The limit above which a key is long: each cell of a row stores the key.
pub(crate) const LONG_BYTES: u64 = 100;

/// Lengths in bytes, counted over all keys. A percentile of 4,096 bytes or more is rounded up to a
/// power of two.
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
    /// The length that 90 % of the keys do not exceed.
    pub percentile_90: u64,
    /// The length that 99 % of the keys do not exceed.
    pub percentile_99: u64,
    /// The number of keys with fewer than 10 bytes.
    pub below_10: u64,
    /// The number of keys with more than 100 bytes.
    pub above_100: u64,
}

impl LengthProfile {
    /// Returns `true` if all keys have one length.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.min == self.max
    }
}

/// A counter of lengths that uses constant memory.
#[derive(Debug)]
pub(super) struct Lengths {
    counted: Box<[u64]>,
    powers: [u64; POWERS],
    keys: u64,
    bytes: u64,
    min: u64,
    max: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Self {
            counted: vec![0; COUNTED_LENGTHS].into(),
            powers: [0; POWERS],
            keys: 0,
            bytes: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Lengths {
    pub(super) fn push(&mut self, key: &[u8]) {
        let length = u64::try_from(key.len()).unwrap_or(u64::MAX);
        self.keys += 1;
        self.bytes = self.bytes.saturating_add(length);
        self.min = self.min.min(length);
        self.max = self.max.max(length);
        if let Some(count) = self.counted.get_mut(key.len()) {
            *count += 1;
        } else if let Some(count) = self.powers.get_mut(power_above(length)) {
            *count += 1;
        }
    }

    pub(super) fn keys(&self) -> u64 {
        self.keys
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn finish(&self) -> LengthProfile {
        if self.keys == 0 {
            return LengthProfile::default();
        }
        LengthProfile {
            min: self.min,
            max: self.max,
            mean: float(self.bytes) / float(self.keys),
            median: self.percentile(0.5),
            percentile_90: self.percentile(0.9),
            percentile_99: self.percentile(0.99),
            below_10: self.keys_where(|length| length < SHORT_BYTES),
            above_100: self.keys_where(|length| length > LONG_BYTES),
        }
    }

    /// Returns the least length that at least this share of the keys do not exceed.
    fn percentile(&self, wanted: f64) -> u64 {
        let mut keys = 0;
        for (length, count) in self.histogram() {
            keys += count;
            if count > 0 && share(keys, self.keys) >= wanted {
                return length.min(self.max);
            }
        }
        self.max
    }

    fn keys_where(&self, wanted: impl Fn(u64) -> bool) -> u64 {
        let counts = self.histogram();
        counts
            .filter(|(length, _)| wanted(*length))
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns each length, or the power of two that bounds it, with its count.
    fn histogram(&self) -> impl Iterator<Item = (u64, u64)> {
        let powers = (0..).map(|power: u32| 1_u64.checked_shl(power).unwrap_or(u64::MAX));
        (0..)
            .zip(self.counted.iter().copied())
            .chain(powers.zip(self.powers.iter().copied()))
    }
}

/// Returns the least power of two that is at least this length, as an exponent.
fn power_above(length: u64) -> usize {
    usize::try_from(
        length
            .saturating_sub(1)
            .checked_ilog2()
            .map_or(0, |log| log + 1),
    )
    .unwrap_or(POWERS - 1)
    .min(POWERS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(lengths: &[usize]) -> LengthProfile {
        let mut all = Lengths::default();
        for length in lengths {
            all.push(&vec![b'x'; *length]);
        }
        all.finish()
    }

    #[test]
    fn counts_lengths() {
        let lengths: Vec<usize> = (1..=200).collect();
        let profile = profile(&lengths);
        assert_eq!((profile.min, profile.max), (1, 200));
        assert_eq!((profile.median, profile.percentile_90), (100, 180));
        assert_eq!(profile.percentile_99, 198);
        assert_eq!((profile.below_10, profile.above_100), (9, 100));
        assert!((profile.mean - 100.5).abs() < 1e-9);
        assert!(!profile.is_fixed());
    }

    #[test]
    fn counts_long_keys_by_powers_of_two() {
        let profile = profile(&[4_095, 4_096, 4_097, 10_000, 10_000]);
        assert_eq!((profile.median, profile.max), (8_192, 10_000));
        assert_eq!(profile.percentile_99, 10_000);
        assert_eq!(profile.above_100, 5);
    }

    #[test]
    fn the_lengths_of_no_keys_are_zero() {
        assert_eq!(profile(&[]), LengthProfile::default());
        assert!(profile(&[6, 6, 6]).is_fixed());
    }
}
