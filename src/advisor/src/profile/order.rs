//! The relation of the order of arrival to the order of keys.

use serde::Serialize;

use super::sample::SampledKey;
use super::windows::WindowSpread;
use fluo_keys::number::{float, float_len, share};

/// The share of keys that go in one direction from which the order has that direction.
const ALWAYS: f64 = 0.9;
/// The rank correlation from which the order has a direction even if fewer keys go in it.
const CORRELATED: f64 = 0.5;
/// The number of standard errors of a correlation that chance does not explain.
const BEYOND_CHANCE: f64 = 3.0;
/// The difference from a half of the ascending keys that chance does not explain.
const UNBALANCED: f64 = 0.1;

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

/// The direction of keys in their order of arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Direction {
    /// The order of arrival is unknown, or there are fewer than two different keys.
    #[default]
    Unknown,
    /// Keys ascend, so new ones go to one place, such as the end of the table.
    Ascending,
    /// Keys descend, so new ones go to one place, such as the front of the table.
    Descending,
    /// Keys are partly in order, or in several sequences at a time.
    Partly,
    /// Keys arrive in random order.
    Random,
}

/// A measure of the monotonicity of keys in their order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OrderProfile {
    /// The meaning of the order of the keys.
    pub arrivals: Arrivals,
    /// The direction that follows from the other figures.
    pub direction: Direction,
    /// The share of the keys that are greater than the key before; counted over all keys. About
    /// half in a random order.
    pub ascending: f64,
    /// The share of the keys that equal the key before; counted over all keys.
    pub repeated: f64,
    /// Spearman's rank correlation of the order of arrival with the order of keys, over the sample:
    /// 1 for ascending keys, -1 for descending keys, 0 for no relation. Equal keys have the mean of
    /// their ranks.
    pub rank_correlation: f64,
}

impl OrderProfile {
    /// Checks whether no key is less than the one before it.
    pub fn is_sorted(&self) -> bool {
        self.direction != Direction::Unknown && self.ascending + self.repeated >= 1.0
    }
}

#[derive(Debug, Default)]
pub(super) struct Order {
    keys: u64,
    ascending: u64,
    repeated: u64,
    previous: Vec<u8>,
}

impl Order {
    pub(super) fn push(&mut self, key: &[u8]) {
        if self.keys > 0 {
            match key.cmp(self.previous.as_slice()) {
                std::cmp::Ordering::Greater => self.ascending += 1,
                std::cmp::Ordering::Equal => self.repeated += 1,
                std::cmp::Ordering::Less => {}
            }
        }
        self.keys += 1;
        self.previous.clear();
        self.previous.extend_from_slice(key);
    }

    /// Returns the profile. `sample` is in order of keys.
    pub(super) fn finish(&self, arrivals: Arrivals, sample: &[SampledKey]) -> OrderProfile {
        let followers = self.keys.saturating_sub(1);
        // The keys with their ranks, in order of arrival.
        let mut ranked: Vec<_> = sample.iter().zip(0..).collect();
        ranked.sort_unstable_by_key(|(sampled, _)| sampled.arrival);
        let mut order = OrderProfile {
            arrivals,
            direction: Direction::Unknown,
            ascending: share(self.ascending, followers),
            repeated: share(self.repeated, followers),
            rank_correlation: spearman(sample, &ranked),
        };
        if arrivals == Arrivals::AsWritten && self.repeated < followers {
            order.direction = direction(&order, &ranked);
        }
        order
    }
}

fn direction(order: &OrderProfile, ranked: &[(&SampledKey, usize)]) -> Direction {
    let (ascending, correlation) = (order.ascending, order.rank_correlation);
    let descending = 1.0 - ascending - order.repeated;
    // Interleaved sequences go in one direction, too, but to several places at a time.
    let is_in_one_place = is_in_one_place(ranked);
    // The standard error of the correlation is `1 / sqrt(n - 1)` if there is no relation.
    let chance = BEYOND_CHANCE / (float_len(ranked.len()) - 1.0).max(1.0).sqrt();
    if is_in_one_place && (ascending >= ALWAYS || correlation >= CORRELATED) {
        Direction::Ascending
    } else if is_in_one_place && (descending >= ALWAYS || correlation <= -CORRELATED) {
        Direction::Descending
    } else if correlation.abs() > chance || (ascending - 0.5).abs() > UNBALANCED {
        Direction::Partly
    } else {
        Direction::Random
    }
}

/// Checks whether consecutive keys go to few of the sixteenths of the keys, or are too few to tell.
fn is_in_one_place(ranked: &[(&SampledKey, usize)]) -> bool {
    let width = ranked.len().div_ceil(16).max(1);
    let places =
        ranked.iter().map(|(sampled, rank)| (sampled.arrival, &*sampled.key, rank / width));
    WindowSpread::new(places, 16).is_none_or(|windows| windows.is_together())
}

/// Returns Pearson's correlation of the ranks, where equal keys have their mean rank. 0 if either
/// has no spread.
fn spearman(sorted_by_key: &[SampledKey], ranked: &[(&SampledKey, usize)]) -> f64 {
    let mut mean_ranks = Vec::with_capacity(sorted_by_key.len());
    for equal in sorted_by_key.chunk_by(|a, b| a.key == b.key) {
        let mean_rank = float_len(mean_ranks.len()) + (float_len(equal.len()) - 1.0) / 2.0;
        mean_ranks.extend(equal.iter().map(|_| mean_rank));
    }
    let by_arrival = ranked.iter().filter_map(|(_, rank)| mean_ranks.get(*rank).copied());
    let middle = (float_len(ranked.len()) - 1.0) / 2.0;
    let (mut product, mut arrivals, mut keys) = (0.0, 0.0, 0.0);
    for (arrival_rank, key_rank) in (0_u64..).zip(by_arrival) {
        let (x, y) = (float(arrival_rank) - middle, key_rank - middle);
        product += x * y;
        arrivals += x * x;
        keys += y * y;
    }
    if arrivals == 0.0 || keys == 0.0 { 0.0 } else { product / (arrivals * keys).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(keys: &[&str]) -> OrderProfile {
        let mut order = Order::default();
        let mut sample = Vec::new();
        for (arrival, key) in (0..).zip(keys) {
            order.push(key.as_bytes());
            let key = key.as_bytes().into();
            sample.push(SampledKey { arrival, key });
        }
        sample.sort_by(|a, b| a.key.cmp(&b.key));
        order.finish(Arrivals::AsWritten, &sample)
    }

    #[test]
    fn recognizes_the_direction_of_keys() {
        for (keys, direction, correlation) in [
            (["a", "b", "c", "d"], Direction::Ascending, 1.0),
            (["d", "c", "b", "a"], Direction::Descending, -1.0),
            (["a", "a", "a", "a"], Direction::Unknown, 0.0),
        ] {
            let found = profile(&keys);
            assert_eq!(found.direction, direction, "{keys:?}");
            assert!((found.rank_correlation - correlation).abs() < 1e-9);
        }
        assert!(profile(&["a", "b", "b"]).is_sorted() && !profile(&["b", "a"]).is_sorted());
        assert!(!profile(&["a", "a"]).is_sorted() && !profile(&["a"]).is_sorted());
    }

    /// By hand: the keys a b b c arrive as b a c b. Their ranks by arrival are 2.5 1 4 2.5, with
    /// the mean 2.5. The products of the deviations are (-1.5 0) (-0.5 -1.5) (0.5 1.5) (1.5 0), so
    /// the correlation is 1.5 / sqrt(5 * 4.5).
    #[test]
    fn equal_keys_have_their_mean_rank() {
        let profile = profile(&["b", "a", "c", "b"]);
        assert!((profile.rank_correlation - 1.5 / 22.5_f64.sqrt()).abs() < 1e-9);
    }
}
