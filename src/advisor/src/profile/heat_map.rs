//! A key visualizer: the keys by their arrival and by their place in the table.

use fluo_keys::number::count;
use fluo_table::Bytes;

use super::sample::SampledKey;

const BUCKETS: usize = 200;
const SLICES: usize = 50;
const MIN_SLICES: usize = 6;
/// The least mean number of keys in a cell: with fewer, random keys look like noise.
const MIN_KEYS: usize = 6;
const MARKS: usize = 4;

/// The keys of the sample, counted by their arrival and by their place in the table.
///
/// The buckets are up to 200 equal parts of the sample in order of keys; equal keys share one. The
/// slices are up to 50 equal parts of *all* keys in order of arrival. A smaller sample has fewer of
/// both. If the sample is not complete, a cell with c keys of the sample represents about
/// `c * keys / sample` keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeatMap {
    /// The number of buckets.
    pub buckets: usize,
    /// For each slice, in order of arrival, the number of sampled keys in each bucket, in order of
    /// keys.
    pub slices: Vec<Vec<u32>>,
    /// The first key of each quarter of the buckets.
    pub marks: Vec<Bytes>,
}

impl HeatMap {
    /// Counts a sample in order of keys, out of this many keys.
    pub(super) fn new(sorted: &[SampledKey], keys: u64) -> Self {
        if sorted.is_empty() {
            return Self::default();
        }
        let (mut buckets, mut parts) = (BUCKETS, SLICES);
        while sorted.len() < MIN_KEYS * buckets * parts && parts > MIN_SLICES {
            (buckets, parts) = (buckets / 2, parts / 2);
        }
        let mut slices = vec![vec![0; buckets]; parts];
        let len = count(sorted.len());
        let mut rank = 0;
        for equal in sorted.chunk_by(|a, b| a.key == b.key) {
            let bucket = part_of(rank, len, buckets);
            for sampled in equal {
                let slice = slices.get_mut(part_of(sampled.arrival, keys, parts));
                if let Some(cell) = slice.and_then(|slice| slice.get_mut(bucket)) {
                    *cell += 1;
                }
            }
            rank += count(equal.len());
        }
        let marked = (0..MARKS).filter_map(|quarter| sorted.get(quarter * sorted.len() / MARKS));
        let marks = marked.map(|sampled| Bytes::copy_from_slice(&sampled.key)).collect();
        Self { buckets, slices, marks }
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
        let map = HeatMap::new(&sorted(0..20_000), 20_000);
        for (slice, row) in map.slices.iter().enumerate() {
            let expected = |bucket: usize| if bucket / 4 == slice { 200 } else { 0 };
            assert_eq!(*row, (0..100).map(expected).collect::<Vec<u32>>(), "{slice}");
        }
        assert_eq!(
            map.marks,
            [0_u64, 5_000, 10_000, 15_000].map(|key| Bytes::copy_from_slice(&key.to_be_bytes()))
        );
    }

    #[test]
    fn a_smaller_sample_has_fewer_cells() {
        for (keys, buckets, slices) in
            [(60_000, 200, 50), (59_999, 100, 25), (14_999, 50, 12), (3_599, 25, 6), (1, 25, 6)]
        {
            let map = HeatMap::new(&sorted(0..keys), keys);
            assert_eq!((map.buckets, map.slices.len()), (buckets, slices), "{keys}");
        }
    }

    /// A cell has a shade of its own below half of the mean, and from twice the mean.
    #[test]
    fn random_keys_are_an_even_shade() {
        let mut rng = fastrand::Rng::with_seed(1);
        let map = HeatMap::new(&sorted((0..5_000).map(|_| rng.u64(..))), 5_000);
        let cells: Vec<_> = map.slices.iter().flatten().copied().collect();
        let mean = 5_000 / u32::try_from(cells.len()).unwrap();
        let even = cells.iter().filter(|keys| (mean / 2..2 * mean).contains(keys)).count();
        assert!(even * 10 > cells.len() * 9, "{even} of {}", cells.len());
    }

    #[test]
    fn equal_keys_share_a_bucket_and_every_key_is_counted() {
        let map = HeatMap::new(&sorted((0..3_000).map(|key| key % 3)), 3_000);
        let total: u32 = map.slices.iter().flatten().sum();
        assert_eq!(total, 3_000);
        let used = (0..25).filter(|bucket| map.slices.iter().any(|slice| slice[*bucket] > 0));
        assert_eq!(used.collect::<Vec<_>>(), [0, 8, 16]);
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
