//! The most frequent of many values, in bounded memory and with a bound on the error.

use std::collections::HashMap;

use foldhash::fast::FixedState;

const COUNTERS: usize = 4_096;
/// Number of leading bytes that identify a value; longer values are truncated.
const VALUE_BYTES: usize = 256;

/// A counter of the most frequent of many values, in bounded memory.
///
/// It is the algorithm of Misra and Gries with many decrements at once.
/// If there are too many counters, the median of their counts is subtracted from all of them, and
/// those that reach zero are removed.
///
/// A value occurred at least as often as its counter shows and at most `error` times more. Each
/// subtraction lowers at least half of the counters by its full amount, so `error` is at most
/// `2 / 4096` of all values pushed: 0.05 %. A value that is more frequent than that is never
/// missed.
#[derive(Debug, Default)]
pub(super) struct HeavyHitters {
    counters: HashMap<Box<[u8]>, u64, FixedState>,
    /// The maximum number of occurrences that a counter may have missed.
    pub(super) error: u64,
}

impl HeavyHitters {
    pub(super) fn push(&mut self, value: &[u8]) {
        let value = value.get(..VALUE_BYTES).unwrap_or(value);
        if let Some(counter) = self.counters.get_mut(value) {
            *counter += 1;
            return;
        }
        self.counters.insert(value.into(), 1);
        if self.counters.len() > COUNTERS {
            self.subtract_the_median();
        }
    }

    fn subtract_the_median(&mut self) {
        let mut counts: Vec<u64> = self.counters.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, &mut median, _) = counts.select_nth_unstable(middle);
        self.error += median;
        self.counters.retain(|_, count| {
            *count = count.saturating_sub(median);
            *count > 0
        });
    }

    /// Returns the values whose counter is at least `least`, most frequent first, ties in byte
    /// order.
    pub(super) fn at_least(self, least: u64) -> Vec<(Box<[u8]>, u64)> {
        let frequent = self.counters.into_iter().filter(|(_, count)| *count >= least);
        let mut frequent: Vec<_> = frequent.collect();
        frequent.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        frequent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_few_values_exactly() {
        let mut hitters = HeavyHitters::default();
        for value in [b"a", b"b", b"a"] {
            hitters.push(value);
        }
        assert_eq!(hitters.error, 0);
        assert_eq!(hitters.at_least(1), [(b"a".as_slice().into(), 2), (b"b".as_slice().into(), 1)]);
    }

    /// One value in ten is `hot`; every other value occurs once. The error stays within its bound.
    #[test]
    fn finds_a_hot_value_among_many_within_the_bound() {
        let mut hitters = HeavyHitters::default();
        for number in 0..500_000_u64 {
            if number % 10 == 0 {
                hitters.push(b"hot");
            } else {
                hitters.push(&number.to_be_bytes());
            }
        }
        let error = hitters.error;
        assert!(error > 0 && error <= 500_000 * 2 / 4_096, "{error}");
        assert!(hitters.counters.len() <= COUNTERS);
        let found = hitters.at_least(10_000);
        assert_eq!(found.len(), 1);
        assert_eq!(&*found[0].0, b"hot");
        assert!(found[0].1 <= 50_000 && found[0].1 + error >= 50_000, "{}", found[0].1);
    }

    #[test]
    fn truncates_long_values() {
        let mut hitters = HeavyHitters::default();
        hitters.push(&[b'x'; 300]);
        hitters.push(&[b'x'; 400]);
        assert_eq!(hitters.at_least(1), [(vec![b'x'; 256].into(), 2)]);
    }
}
