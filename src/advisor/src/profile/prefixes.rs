//! Prefixes that many keys share.

use fluo_table::Bytes;
use serde::Serialize;

use super::sample::SampledKey;
use super::text;
use crate::number::{count, share};

/// The least share of the sample that makes a prefix frequent, in percent.
const FREQUENT_PERCENT: usize = 10;
/// The maximum number of frequent prefixes in a profile.
const MOST_FREQUENT: usize = 20;
/// The maximum length of a frequent prefix.
const DEPTH_BYTES: usize = 256;

/// Prefixes that keys share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrefixProfile {
    /// The longest prefix of all keys; counted over all keys.
    #[serde(serialize_with = "text::serialize")]
    pub common: Bytes,
    /// The prefixes of at least a tenth of the keys, by the sample. Each is as long as the same
    /// keys share it. In order of keys, at most 20.
    pub frequent: Vec<FrequentPrefix>,
}

/// A prefix that many keys share.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FrequentPrefix {
    /// The bytes of the prefix, at most the first 256.
    #[serde(serialize_with = "text::serialize")]
    pub prefix: Bytes,
    /// The share of the sample that has it.
    pub share: f64,
}

/// The prefix that all keys so far have in common.
#[derive(Debug, Default)]
pub(super) struct CommonPrefix(Option<Vec<u8>>);

impl CommonPrefix {
    pub(super) fn push(&mut self, key: &[u8]) {
        match &mut self.0 {
            Some(common) => common.truncate(shared_len(common, key)),
            none => *none = Some(key.to_vec()),
        }
    }

    /// Returns the profile. `sample` is in order of keys.
    pub(super) fn finish(self, sample: &[SampledKey]) -> PrefixProfile {
        let common = self.0.unwrap_or_default();
        let mut frequent = Vec::new();
        if !sample.is_empty() {
            let least = (sample.len() * FREQUENT_PERCENT).div_ceil(100).max(2);
            follow(sample, 0, sample.len(), least, &mut frequent);
        }
        frequent.retain(|found| found.prefix.len() > common.len());
        frequent.truncate(MOST_FREQUENT);
        PrefixProfile {
            common: common.into(),
            frequent,
        }
    }
}

/// Finds the prefixes that at least `least` of the sorted keys share beyond `depth` bytes. Each
/// level of the recursion is at least one byte deeper, and [`DEPTH_BYTES`] limits it.
fn follow(
    sorted: &[SampledKey],
    depth: usize,
    of_keys: usize,
    least: usize,
    found: &mut Vec<FrequentPrefix>,
) {
    let same_byte = |a: &SampledKey, b: &SampledKey| a.key.get(depth) == b.key.get(depth);
    for run in sorted.chunk_by(same_byte).filter(|run| run.len() >= least) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let end = shared_len(&first.key, &last.key).min(DEPTH_BYTES);
        // Keys that end here share no further byte.
        let Some(prefix) = first.key.get(..end).filter(|_| end > depth) else {
            continue;
        };
        found.push(FrequentPrefix {
            prefix: Bytes::copy_from_slice(prefix),
            share: share(count(run.len()), count(of_keys)),
        });
        if end < DEPTH_BYTES {
            follow(run, end, of_keys, least, found);
        }
    }
}

fn shared_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes(keys: &[&str]) -> (String, Vec<String>) {
        let mut common = CommonPrefix::default();
        let mut sample = Vec::new();
        for (arrival, key) in (0..).zip(keys) {
            common.push(key.as_bytes());
            sample.push(SampledKey {
                arrival,
                key: key.as_bytes().into(),
            });
        }
        sample.sort_by(|a, b| a.key.cmp(&b.key));
        let profile = common.finish(&sample);
        let shown = |found: &FrequentPrefix| {
            format!("{} {:.2}", fluo_table::Escaped(&found.prefix), found.share)
        };
        let frequent = profile.frequent.iter().map(shown).collect();
        (fluo_table::Escaped(&profile.common).to_string(), frequent)
    }

    #[test]
    fn finds_the_longest_shared_prefixes() {
        let (common, frequent) = prefixes(&["u:a1", "u:a2", "u:b1", "u:b2"]);
        assert_eq!(common, "u:");
        assert_eq!(frequent, ["u:a 0.50", "u:b 0.50"]);
    }

    #[test]
    fn finds_frequent_prefixes_within_frequent_prefixes() {
        let (common, frequent) = prefixes(&["ab", "abc", "abd", "abd", "x"]);
        assert_eq!(common, "");
        assert_eq!(frequent, ["ab 0.80", "abd 0.40"]);
    }

    #[test]
    fn finds_no_prefix_of_no_keys() {
        assert_eq!(prefixes(&[]), (String::new(), vec![]));
        assert_eq!(prefixes(&["", ""]), (String::new(), vec![]));
        assert_eq!(prefixes(&["same", "same"]), ("same".to_owned(), vec![]));
    }
}
