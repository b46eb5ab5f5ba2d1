//! The relation of the order of arrival to the order of keys.

use serde::Serialize;

use super::sample::SampledKey;
use super::windows::WindowSpread;
use crate::number::{float, float_len, share};

/// The meaning of the order in which keys arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// The order of writing: it shows where the next keys will go.
    #[default]
    AsWritten,
    /// Another order, such as that of a scan: it shows nothing about writing.
    Unordered,
}

/// A measure of the monotonicity of keys in their order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OrderProfile {
    /// The meaning of the order of the keys.
    pub arrivals: Arrivals,
    /// The share of the keys that are greater than the key before; counted over all keys. About
    /// half in a random order.
    pub ascending: f64,
    /// The share of the keys that equal the key before; counted over all keys.
    pub repeated: f64,
    /// The share of the keys that are greater than all keys before; counted over all keys. Such
    /// keys go to the end of an unsalted table. In a random order of n keys it is about
    /// `ln(n) / n`.
    pub new_maxima: f64,
    /// The share of the keys that are less than all keys before; counted over all keys. Such keys
    /// go to the front of an unsalted table.
    pub new_minima: f64,
    /// Spearman's rank correlation of the order of arrival with the order of keys, over the sample:
    /// 1 for ascending keys, -1 for descending keys, 0 for no relation. Equal keys have the mean of
    /// their ranks.
    pub rank_correlation: f64,
    /// The standard error of the correlation if there is no relation: `1 / sqrt(n - 1)` with n keys
    /// in the sample, and 0 for fewer than two.
    pub rank_correlation_error: f64,
    /// The share of the keys that are greater than all before, in the second half of the sample. It
    /// is 0 for sorted runs over the same keys, all maxima of which are in the first.
    pub late_maxima: f64,
    /// The share of the keys that are less than all before, in the second half of the sample.
    pub late_minima: f64,
    /// The number of sixteenths of all keys that keys go to if they arrive one after the other.
    /// `None` if the order is unknown or there are too few keys to tell.
    pub sixteenths: Option<WindowSpread>,
}

impl OrderProfile {
    /// Returns the share of the keys that are less than the key before.
    #[must_use]
    pub fn descending(&self) -> f64 {
        1.0 - self.ascending - self.repeated
    }
}

/// A comparison of each key with the one before it, and with the greatest and the least so far.
#[derive(Debug, Default)]
pub(super) struct Order {
    keys: u64,
    ascending: u64,
    repeated: u64,
    maxima: u64,
    minima: u64,
    previous: Vec<u8>,
    greatest: Vec<u8>,
    least: Vec<u8>,
}

impl Order {
    pub(super) fn push(&mut self, key: &[u8]) {
        if self.keys > 0 {
            match key.cmp(self.previous.as_slice()) {
                std::cmp::Ordering::Greater => self.ascending += 1,
                std::cmp::Ordering::Equal => self.repeated += 1,
                std::cmp::Ordering::Less => {}
            }
            if key > self.greatest.as_slice() {
                self.maxima += 1;
                copy(key, &mut self.greatest);
            }
            if key < self.least.as_slice() {
                self.minima += 1;
                copy(key, &mut self.least);
            }
        } else {
            copy(key, &mut self.greatest);
            copy(key, &mut self.least);
        }
        self.keys += 1;
        copy(key, &mut self.previous);
    }

    /// Returns the profile. `sample` is in order of keys.
    pub(super) fn finish(&self, arrivals: Arrivals, sample: &[SampledKey]) -> OrderProfile {
        let followers = self.keys.saturating_sub(1);
        let rank_correlation_error = match sample.len() {
            0 | 1 => 0.0,
            keys => 1.0 / float_len(keys - 1).sqrt(),
        };
        // The keys with their ranks, in order of arrival.
        let mut ranked: Vec<_> = sample.iter().zip(0..).collect();
        ranked.sort_unstable_by_key(|(sampled, _)| sampled.arrival);
        let (late_maxima, late_minima) = late_extremes(&ranked);
        OrderProfile {
            arrivals,
            ascending: share(self.ascending, followers),
            repeated: share(self.repeated, followers),
            new_maxima: share(self.maxima, followers),
            new_minima: share(self.minima, followers),
            rank_correlation: spearman(sample, &ranked),
            rank_correlation_error,
            late_maxima,
            late_minima,
            sixteenths: match arrivals {
                Arrivals::AsWritten => sixteenths(&ranked),
                Arrivals::Unordered => None,
            },
        }
    }
}

/// Returns the sixteenths of the keys that consecutive keys go to.
fn sixteenths(ranked: &[(&SampledKey, usize)]) -> Option<WindowSpread> {
    let width = ranked.len().div_ceil(16).max(1);
    let places = ranked
        .iter()
        .map(|(sampled, rank)| (sampled.arrival, &*sampled.key, rank / width));
    WindowSpread::new(places, 16)
}

/// Returns the shares of the keys greater and less than all before, in the second half of the
/// arrivals.
fn late_extremes(ranked: &[(&SampledKey, usize)]) -> (f64, f64) {
    let Some(mut most) = ranked.first().map(|(sampled, _)| &sampled.key) else {
        return (0.0, 0.0);
    };
    let mut least = most;
    let half = ranked.len() / 2;
    let (mut maxima, mut minima) = (0, 0);
    for (number, (sampled, _)) in ranked.iter().enumerate() {
        let is_late = u64::from(number >= half);
        if sampled.key > *most {
            most = &sampled.key;
            maxima += is_late;
        } else if sampled.key < *least {
            least = &sampled.key;
            minima += is_late;
        }
    }
    let late = crate::number::count(ranked.len() - half);
    (share(maxima, late), share(minima, late))
}

fn copy(key: &[u8], into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(key);
}

/// Returns Pearson's correlation of the ranks, where equal keys have their mean rank. 0 if either
/// has no spread.
fn spearman(sorted_by_key: &[SampledKey], ranked: &[(&SampledKey, usize)]) -> f64 {
    let mut mean_ranks = Vec::with_capacity(sorted_by_key.len());
    for equal in sorted_by_key.chunk_by(|a, b| a.key == b.key) {
        let mean_rank = float_len(mean_ranks.len()) + (float_len(equal.len()) - 1.0) / 2.0;
        mean_ranks.extend(equal.iter().map(|_| mean_rank));
    }
    let by_arrival = ranked
        .iter()
        .filter_map(|(_, rank)| mean_ranks.get(*rank).copied());
    let middle = (float_len(ranked.len()) - 1.0) / 2.0;
    let (mut product, mut arrivals, mut keys) = (0.0, 0.0, 0.0);
    for (arrival_rank, key_rank) in (0_u64..).zip(by_arrival) {
        let (x, y) = (float(arrival_rank) - middle, key_rank - middle);
        product += x * y;
        arrivals += x * x;
        keys += y * y;
    }
    if arrivals == 0.0 || keys == 0.0 {
        0.0
    } else {
        product / (arrivals * keys).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(keys: &[&str]) -> OrderProfile {
        let mut order = Order::default();
        let mut sample = Vec::new();
        for (arrival, key) in (0..).zip(keys) {
            order.push(key.as_bytes());
            sample.push(SampledKey {
                arrival,
                key: key.as_bytes().into(),
            });
        }
        sample.sort_by(|a, b| a.key.cmp(&b.key));
        order.finish(Arrivals::AsWritten, &sample)
    }

    #[test]
    fn recognises_ascending_keys() {
        let profile = profile(&["a", "b", "c", "d"]);
        assert!((profile.ascending - 1.0).abs() < 1e-9);
        assert!((profile.new_maxima - 1.0).abs() < 1e-9);
        assert!((profile.rank_correlation - 1.0).abs() < 1e-9);
    }

    #[test]
    fn recognises_descending_keys() {
        let profile = profile(&["d", "c", "b", "a"]);
        assert!(profile.ascending.abs() < 1e-9 && profile.new_maxima.abs() < 1e-9);
        assert!((profile.new_minima - 1.0).abs() < 1e-9);
        assert!((profile.rank_correlation + 1.0).abs() < 1e-9);
    }

    /// By hand: the keys a b b c arrive as b a c b. Their ranks by arrival are 2.5 1 4 2.5, with
    /// the mean 2.5. The products of the deviations are (-1.5 0) (-0.5 -1.5) (0.5 1.5) (1.5 0), so
    /// the correlation is 1.5 / sqrt(5 * 4.5).
    #[test]
    fn equal_keys_have_their_mean_rank() {
        let profile = profile(&["b", "a", "c", "b"]);
        assert!((profile.rank_correlation - 1.5 / 22.5_f64.sqrt()).abs() < 1e-9);
        assert!((profile.rank_correlation_error - 1.0 / 3.0_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn too_few_keys_have_no_order() {
        for keys in [&[][..], &["a"], &["a", "a"]] {
            let profile = profile(keys);
            assert!(profile.rank_correlation.abs() < 1e-9 && profile.ascending.abs() < 1e-9);
        }
        assert!((profile(&["a", "a"]).repeated - 1.0).abs() < 1e-9);
    }
}
