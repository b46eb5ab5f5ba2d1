//! A key visualizer: the keys by their arrival and by their place in the table.

use super::sample::SampledKey;
use fluo_keys::number::count;

const BUCKETS: usize = 1_000;
const SLICES: usize = 100;

/// The keys of the sample, counted by their arrival and by their place in the table.
///
/// The buckets are 1,000 equal parts of the sample in order of keys; equal keys share one. The
/// slices are 100 equal parts of *all* keys in order of arrival. If the sample is not complete, a
/// cell with c keys of the sample represents about `c * keys / sample` keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeatMap {
    /// The number of buckets.
    pub buckets: usize,
    /// For each slice, in order of arrival, the number of sampled keys in each bucket, in order of
    /// keys.
    pub slices: Vec<Vec<u32>>,
}

impl HeatMap {
    /// Counts a sample in order of keys, out of this many keys.
    pub(super) fn new(sorted: &[SampledKey], keys: u64) -> Self {
        if sorted.is_empty() {
            return Self::default();
        }
        let mut slices = vec![vec![0; BUCKETS]; SLICES];
        let len = count(sorted.len());
        let mut rank = 0;
        for equal in sorted.chunk_by(|a, b| a.key == b.key) {
            let bucket = part_of(rank, len, BUCKETS);
            for sampled in equal {
                let slice = slices.get_mut(part_of(sampled.arrival, keys, SLICES));
                if let Some(cell) = slice.and_then(|slice| slice.get_mut(bucket)) {
                    *cell += 1;
                }
            }
            rank += count(equal.len());
        }
        Self { buckets: BUCKETS, slices }
    }
}

/// Returns the index of the part that contains a position, if `whole` is cut into equal parts.
fn part_of(position: u64, whole: u64, parts: usize) -> usize {
    let part = u128::from(position) * u128::from(count(parts)) / u128::from(whole.max(1));
    usize::try_from(part).unwrap_or(usize::MAX).min(parts.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: impl Iterator<Item = u64>) -> Vec<SampledKey> {
        let mut all: Vec<_> = (0..)
            .zip(keys)
            .map(|(arrival, key)| SampledKey { arrival, key: key.to_be_bytes().into() })
            .collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    }

    #[test]
    fn monotonic_keys_are_a_diagonal() {
        let map = HeatMap::new(&sorted(0..10_000), 10_000);
        for (slice, row) in map.slices.iter().enumerate() {
            let expected = |bucket: usize| if bucket / 10 == slice { 10 } else { 0 };
            assert_eq!(*row, (0..1_000).map(expected).collect::<Vec<u32>>(), "{slice}");
        }
    }

    #[test]
    fn equal_keys_share_a_bucket_and_every_key_is_counted() {
        let map = HeatMap::new(&sorted((0..3_000).map(|key| key % 3)), 3_000);
        let total: u32 = map.slices.iter().flatten().sum();
        assert_eq!(total, 3_000);
        let used = (0..1_000).filter(|bucket| map.slices.iter().any(|slice| slice[*bucket] > 0));
        assert_eq!(used.collect::<Vec<_>>(), [0, 333, 666]);
    }

    #[test]
    fn cuts_into_equal_parts_and_never_passes_the_last() {
        let parts: Vec<_> = (0..6).map(|position| part_of(position, 6, 3)).collect();
        assert_eq!(parts, [0, 0, 1, 1, 2, 2]);
        assert_eq!((part_of(9, 6, 3), part_of(0, 0, 3)), (2, 0));
        assert_eq!(part_of(u64::MAX - 1, u64::MAX, 1_000), 999);
    }

    #[test]
    fn the_map_of_no_keys_is_empty() {
        assert_eq!(HeatMap::new(&[], 0), HeatMap::default());
    }
}
