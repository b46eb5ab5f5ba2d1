//! How long keys are.

use serde::Serialize;

use crate::number::{float, share};

/// Lengths below this are counted one by one; longer ones by powers of two.
const COUNTED_LENGTHS: usize = 4_096;
/// One count for each power of two that a length can be below.
const POWERS: usize = 64;
/// Keys shorter than this are hardly keys of rows: there is little to tell them apart by.
pub(crate) const SHORT_BYTES: u64 = 10;
/// Keys longer than this are felt: the key is stored with every cell of its row.
pub(crate) const LONG_BYTES: u64 = 100;

/// Lengths in bytes. All are counted over all keys; a percentile of 4,096 bytes and more is rounded up to a power of
/// two.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LengthProfile {
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// The mean; 0 of no keys.
    pub mean: f64,
    /// Half of the keys are this long or shorter.
    pub median: u64,
    /// 90 % of the keys are this long or shorter.
    pub percentile_90: u64,
    /// 99 % of the keys are this long or shorter.
    pub percentile_99: u64,
    /// How many keys have fewer than 10 bytes.
    pub below_10: u64,
    /// How many keys have more than 100 bytes.
    pub above_100: u64,
}

impl LengthProfile {
    /// Whether all keys have one length.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.min == self.max
    }
}

/// Counts lengths in constant memory.
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

    /// The least length that at least this share of the keys do not exceed.
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

    /// Lengths, or the power of two that they are below, with their counts.
    fn histogram(&self) -> impl Iterator<Item = (u64, u64)> {
        let powers = (0..).map(|power: u32| 1_u64.checked_shl(power).unwrap_or(u64::MAX));
        (0..)
            .zip(self.counted.iter().copied())
            .chain(powers.zip(self.powers.iter().copied()))
    }
}

/// The least power of two that is a length or above it.
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
    fn lengths_are_counted() {
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
    fn long_keys_are_counted_by_powers_of_two() {
        let profile = profile(&[4_095, 4_096, 4_097, 10_000, 10_000]);
        assert_eq!((profile.median, profile.max), (8_192, 10_000));
        assert_eq!(profile.percentile_99, 10_000);
        assert_eq!(profile.above_100, 5);
    }

    #[test]
    fn no_keys_have_no_length() {
        assert_eq!(profile(&[]), LengthProfile::default());
        assert!(profile(&[6, 6, 6]).is_fixed());
    }
}
