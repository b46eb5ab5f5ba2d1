//! A uniform sample of the keys: each key has the same chance to be in it.

use fluo_keys::number::count;
use serde::Serialize;

use super::reservoir::Reservoir;

const SAMPLE_KEYS: usize = 1 << 16;
/// The maximum number of bytes of the keys in the sample. If they exceed it, a random half of the
/// sample remains, and the capacity is half from then on.
const SAMPLE_BYTES: usize = 1 << 26;
/// The maximum length of a sampled key; longer keys are only counted.
const SAMPLED_KEY_BYTES: usize = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SampledKey {
    /// The number of the key in order of arrival, from 0.
    pub(crate) arrival: u64,
    pub(crate) key: Box<[u8]>,
}

/// The sample, in order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeySample {
    /// The keys, ascending; equal keys in order of arrival.
    #[serde(skip)]
    pub(crate) keys: Vec<SampledKey>,
    /// The number of keys in the sample.
    pub len: u64,
    /// `true` if the sample contains every key.
    pub is_complete: bool,
    /// The number of keys that were left out because they have more than 65,536 bytes.
    pub too_long: u64,
}

impl KeySample {
    /// Returns the keys of the sample that start with these bytes, ascending.
    pub fn starting_with(&self, start: &[u8]) -> impl Iterator<Item = &[u8]> {
        let first = self.keys.partition_point(|sampled| &*sampled.key < start);
        let keys = self.keys.iter().skip(first).map(|sampled| &*sampled.key);
        keys.take_while(move |key| key.starts_with(start))
    }
}

/// The sampler of the keys, whose bytes are bounded too.
#[derive(Debug)]
pub(super) struct KeySampler {
    keys: Reservoir<SampledKey>,
    bytes: usize,
    too_long: u64,
}

impl Default for KeySampler {
    /// Returns an empty sampler. Its choice is random, and the same for the same keys.
    fn default() -> Self {
        Self { keys: Reservoir::new(SAMPLE_KEYS, Some(0)), bytes: 0, too_long: 0 }
    }
}

impl KeySampler {
    pub(super) fn push(&mut self, arrival: u64, key: &[u8]) {
        if key.len() > SAMPLED_KEY_BYTES {
            self.too_long += 1;
            return;
        }
        self.bytes += key.len();
        if let Some(left_out) = self.keys.offer(SampledKey { arrival, key: key.into() }) {
            self.bytes -= left_out.key.len();
        }
        while self.bytes > SAMPLE_BYTES && self.keys.items().len() > 1 {
            self.keys.halve();
            self.bytes = self.keys.items().iter().map(|sampled| sampled.key.len()).sum();
        }
    }

    pub(super) fn finish(self) -> KeySample {
        let offered = self.keys.offered();
        let mut keys = self.keys.into_items();
        keys.sort_unstable_by(|a, b| a.key.cmp(&b.key).then(a.arrival.cmp(&b.arrival)));
        let len = count(keys.len());
        let is_complete = len == offered + self.too_long;
        KeySample { len, is_complete, keys, too_long: self.too_long }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_of(keys: u64) -> KeySample {
        let mut sampler = KeySampler::default();
        for arrival in 0..keys {
            sampler.push(arrival, &arrival.to_be_bytes());
        }
        sampler.finish()
    }

    #[test]
    fn keeps_all_of_few_keys() {
        let sample = sample_of(1_000);
        assert!(sample.is_complete);
        let arrivals: Vec<_> = sample.keys.iter().map(|sampled| sampled.arrival).collect();
        assert_eq!(arrivals, (0..1_000).collect::<Vec<_>>());
        let found = sample.starting_with(&[0, 0, 0, 0, 0, 0, 3]);
        assert_eq!(found.count(), 1_000 - 3 * 256);
        assert_eq!(sample.starting_with(&[1]).count(), 0);
    }

    /// Each tenth of the input has a tenth of the sample: 6,553.6 keys are expected, with a
    /// standard deviation below 77, and five of those are allowed.
    #[test]
    fn the_sample_is_uniform_and_repeatable() {
        let sample = sample_of(1_000_000);
        assert_eq!(sample.keys.len(), SAMPLE_KEYS);
        assert!(!sample.is_complete);
        for tenth in 0..10 {
            let within = |sampled: &&SampledKey| sampled.arrival / 100_000 == tenth;
            let found = sample.keys.iter().filter(within).count();
            assert!(found.abs_diff(6_553) < 385, "{tenth}: {found}");
        }
        assert_eq!(sample, sample_of(1_000_000));
    }

    #[test]
    fn long_keys_make_the_sample_smaller() {
        let mut sampler = KeySampler::default();
        for arrival in 0..3_000 {
            sampler.push(arrival, &vec![b'x'; SAMPLED_KEY_BYTES]);
        }
        sampler.push(3_000, &vec![b'x'; SAMPLED_KEY_BYTES + 1]);
        let sample = sampler.finish();
        let bytes: usize = sample.keys.iter().map(|sampled| sampled.key.len()).sum();
        assert!(bytes <= SAMPLE_BYTES && sample.keys.len() >= 500, "{}", sample.keys.len());
        assert_eq!((sample.too_long, sample.is_complete), (1, false));
        let late = sample.keys.iter().filter(|sampled| sampled.arrival >= 1_500).count();
        assert!(late > sample.keys.len() / 3, "{late}");
    }
}
