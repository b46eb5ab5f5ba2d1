//! Beginnings that many keys share.

use fluo_core::Bytes;
use serde::Serialize;

use super::sample::SampledKey;
use super::text;
use crate::number::{count, share};

/// A beginning is frequent from this share of the sample on, in percent.
const FREQUENT_PERCENT: usize = 10;
/// Most frequent beginnings that a profile names.
const MOST_FREQUENT: usize = 20;
/// How far into a key beginnings are followed.
const DEPTH_BYTES: usize = 256;

/// Beginnings that keys share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrefixProfile {
    /// What every key begins with; over all keys.
    #[serde(serialize_with = "text::serialize")]
    pub common: Bytes,
    /// What at least a tenth of the keys begins with, by the sample, each as long as the same keys share it; in order
    /// of keys, at most 20.
    pub frequent: Vec<FrequentPrefix>,
}

/// A beginning that many keys share.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FrequentPrefix {
    /// Its bytes; at most the first 256.
    #[serde(serialize_with = "text::serialize")]
    pub prefix: Bytes,
    /// Their share of the sample.
    pub share: f64,
}

/// Follows what all keys have in common.
#[derive(Debug, Default)]
pub(super) struct CommonPrefix(Option<Vec<u8>>);

impl CommonPrefix {
    pub(super) fn push(&mut self, key: &[u8]) {
        match &mut self.0 {
            Some(common) => common.truncate(shared_len(common, key)),
            none => *none = Some(key.to_vec()),
        }
    }

    /// `sample` in order of keys.
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

/// Finds where at least `least` of the sorted keys go on together after `depth` bytes. Each level of the recursion is at
/// least one byte deeper, and [`DEPTH_BYTES`] end it.
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
        // A run of keys that have ended has no further byte in common.
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
            format!("{} {:.2}", fluo_core::Escaped(&found.prefix), found.share)
        };
        let frequent = profile.frequent.iter().map(shown).collect();
        (fluo_core::Escaped(&profile.common).to_string(), frequent)
    }

    #[test]
    fn prefixes_are_as_long_as_they_are_shared() {
        let (common, frequent) = prefixes(&["u:a1", "u:a2", "u:b1", "u:b2"]);
        assert_eq!(common, "u:");
        assert_eq!(frequent, ["u:a 0.50", "u:b 0.50"]);
    }

    #[test]
    fn within_a_frequent_one_there_may_be_others() {
        let (common, frequent) = prefixes(&["ab", "abc", "abd", "abd", "x"]);
        assert_eq!(common, "");
        assert_eq!(frequent, ["ab 0.80", "abd 0.40"]);
    }

    #[test]
    fn there_may_be_none() {
        assert_eq!(prefixes(&[]), (String::new(), vec![]));
        assert_eq!(prefixes(&["", ""]), (String::new(), vec![]));
        assert_eq!(prefixes(&["same", "same"]), ("same".to_owned(), vec![]));
    }
}
