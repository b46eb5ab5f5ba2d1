//! How the keys of the sample fall on the tablets of a design.

use std::collections::HashSet;

use fluo_core::Bytes;
use serde::Serialize;

use super::interval::Estimate;
use super::parts::PartSizes;
use crate::advisor::KeyProfile;
use crate::advisor::profile::Arrivals;
use crate::number::{count, float, float_len};
use crate::optimization::chi_square;

/// The newest keys whose place shows where the next ones will go: one in so many.
const NEWEST_ONE_IN: u64 = 20;

/// How the sample falls on tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadForecast {
    /// Keys of the sample in each tablet, in the order of the table: what is written, a repeated row each time.
    pub keys: Vec<u64>,
    /// The split points between the tablets. Not serialized: `fluo key splits` prints those of a design, and a spec has
    /// those that are of the sample.
    #[serde(skip)]
    pub splits: Vec<Bytes>,
    /// Whether the split points were chosen by the sample, because the design has none of its own.
    pub splits_are_of_the_sample: bool,
    /// Pearson's test of the salted parts against what the design promises, each counted once; none where it promises
    /// nothing, or where fewer than five are expected in some tablet.
    pub chi_square: Option<ChiSquare>,
    /// How many keys of the sample fall together.
    pub parts: PartSizes,
    /// What the largest of them share, such as a domain; none where nothing is salted, or the whole row. Not serialized:
    /// a verdict names it where it matters.
    #[serde(skip)]
    pub largest_part: Option<Bytes>,
    /// The load of the fullest tablet over the mean load, from 1.
    pub largest_over_mean: Estimate,
    /// The same by the design's promise: the most salts in a tablet over the mean; none where it promises nothing.
    pub promised: Option<f64>,
    /// How many salts there are; none where the design promises nothing.
    pub salts: Option<u64>,
    /// Which tablet is the fullest, from 0.
    pub largest: usize,
    /// Where the newest keys went; none where the order of the keys says nothing.
    pub tail: Option<TailForecast>,
    /// How many different beginnings (salts, with what is before and after them) the keys got; none without a salt.
    pub salts_used: Option<u64>,
    /// Bytes that the design adds to a key, on the mean.
    pub added_bytes: f64,
}

/// A chi-square test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChiSquare {
    /// The statistic.
    pub statistic: f64,
    /// How likely one at least as large is if salted parts fall as the design promises. One design in a hundred that
    /// keeps its promise has one below 0.01; only below 0.000001 is it said to be unlikely.
    pub p_value: f64,
}

/// Where the newest keys went: the append-only tail. A key that was written again counts once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TailForecast {
    /// Which part of all arrivals counts as the newest: the last twentieth.
    pub newest: f64,
    /// How many different keys of the sample are among them.
    pub keys: u64,
    /// How many of those fall together.
    pub parts: PartSizes,
    /// Which share of them one tablet takes, that which takes most.
    pub busiest_share: Estimate,
    /// Which tablet that is, from 0.
    pub busiest: usize,
}

/// A key as the design writes it, and when it came.
pub(super) struct Written<'a> {
    pub(super) arrival: u64,
    pub(super) row: &'a [u8],
    pub(super) key: Bytes,
    /// What its salt is made of, as a hash: equal for keys that fall together by design.
    pub(super) part: u64,
    /// How many bytes of it come before the row.
    pub(super) head: usize,
}

/// Where the table is split.
pub(super) struct Splits {
    pub(super) points: Vec<Bytes>,
    pub(super) are_of_the_sample: bool,
    /// What is expected in each tablet, where the design says.
    pub(super) weights: Option<Vec<u64>>,
}

impl Splits {
    /// At equal parts of the written keys without the newest: a table is split by what is there, before more comes.
    /// Fewer keys than tablets are a tablet each.
    pub(super) fn at_quantiles(
        written: &[Written<'_>],
        profile: &KeyProfile,
        tablets: u32,
    ) -> Self {
        let end = match profile.order.arrivals {
            Arrivals::AsWritten => first_of_newest(profile.keys),
            Arrivals::Unordered => u64::MAX,
        };
        let older = written.iter().filter(|key| key.arrival < end);
        let mut keys: Vec<&Bytes> = older.map(|written| &written.key).collect();
        keys.sort_unstable();
        let tablets = usize::try_from(tablets)
            .unwrap_or(usize::MAX)
            .min(keys.len());
        let at = |tablet: usize| {
            let place = (tablet * keys.len() / tablets).checked_sub(1)?;
            keys.get(place).map(|key| Bytes::clone(key))
        };
        let mut points: Vec<Bytes> = (1..tablets).filter_map(at).collect();
        points.dedup();
        // Before the empty row there is nothing to split off.
        points.retain(|point| !point.is_empty());
        Self {
            points,
            are_of_the_sample: true,
            weights: None,
        }
    }

    fn tablets(&self) -> usize {
        self.weights
            .as_ref()
            .map_or(self.points.len() + 1, Vec::len)
    }

    /// A tablet holds its end row.
    fn tablet_of(&self, key: &[u8]) -> usize {
        self.points.partition_point(|end| end.as_ref() < key)
    }
}

fn first_of_newest(keys: u64) -> u64 {
    keys - keys / NEWEST_ONE_IN
}

impl LoadForecast {
    pub(super) fn of(
        written: &[Written<'_>],
        splits: Splits,
        profile: &KeyProfile,
        largest_part: Option<Bytes>,
    ) -> Self {
        let tablets = splits.tablets();
        let is_complete = profile.sample.is_complete;
        let loads = loads(written.iter(), &splits, tablets);
        let (largest, most) = largest_of(&loads);
        let share = Estimate::of_largest_share(most, count(written.len()), tablets, is_complete);
        let chi_square = splits
            .weights
            .as_deref()
            .and_then(|weights| chi_square(&thrown(written, &splits, tablets), weights));
        let keys_bytes: u64 = written.iter().map(|written| count(written.key.len())).sum();
        let rows_bytes: u64 = written.iter().map(|written| count(written.row.len())).sum();
        let has_salt = written.iter().any(|written| written.head > 0);
        let heads = written
            .iter()
            .filter_map(|written| written.key.get(..written.head));
        Self {
            chi_square: chi_square.map(|(statistic, p_value)| ChiSquare { statistic, p_value }),
            parts: PartSizes::of(written.iter().map(|written| written.part)),
            largest_part,
            largest_over_mean: share.times(float_len(tablets)).not_below_one(),
            promised: splits.weights.as_deref().map(promised),
            salts: splits.weights.as_ref().map(|weights| weights.iter().sum()),
            largest,
            tail: tail(written, &splits, profile),
            salts_used: has_salt.then(|| count(heads.collect::<HashSet<_>>().len())),
            added_bytes: (float(keys_bytes) - float(rows_bytes)) / float_len(written.len().max(1)),
            keys: loads,
            splits_are_of_the_sample: splits.are_of_the_sample,
            splits: splits.points,
        }
    }

    /// How many tablets there are.
    #[must_use]
    pub fn tablets(&self) -> usize {
        self.keys.len()
    }
}

fn promised(weights: &[u64]) -> f64 {
    let most = weights.iter().copied().max().unwrap_or(0);
    let total = weights.iter().sum::<u64>().max(1);
    float(most) * float_len(weights.len()) / float(total)
}

fn tail(written: &[Written<'_>], splits: &Splits, profile: &KeyProfile) -> Option<TailForecast> {
    let first = first_of_newest(profile.keys);
    if profile.order.arrivals == Arrivals::Unordered || first == profile.keys {
        return None;
    }
    let tablets = splits.tablets();
    let mut seen = HashSet::new();
    let newest = written.iter().filter(|written| written.arrival >= first);
    let newest: Vec<_> = newest.filter(|written| seen.insert(&written.key)).collect();
    let loads = loads(newest.iter().copied(), splits, tablets);
    let (busiest, most) = largest_of(&loads);
    let keys = loads.iter().sum();
    let is_complete = profile.sample.is_complete;
    Some(TailForecast {
        newest: 1.0 / float(NEWEST_ONE_IN),
        keys,
        parts: PartSizes::of(newest.iter().map(|written| written.part)),
        busiest_share: Estimate::of_largest_share(most, keys, tablets, is_complete),
        busiest,
    })
}

fn loads<'a>(
    written: impl Iterator<Item = &'a Written<'a>>,
    splits: &Splits,
    tablets: usize,
) -> Vec<u64> {
    let mut loads = vec![0; tablets];
    for written in written {
        if let Some(load) = loads.get_mut(splits.tablet_of(&written.key)) {
            *load += 1;
        }
    }
    loads
}

/// How the salted parts fall, each once.
fn thrown(written: &[Written<'_>], splits: &Splits, tablets: usize) -> Vec<u64> {
    let mut seen = HashSet::new();
    let first = written.iter().filter(|written| seen.insert(written.part));
    loads(first, splits, tablets)
}

/// The place and the size of the largest; the first of equals.
fn largest_of(loads: &[u64]) -> (usize, u64) {
    let most = loads.iter().copied().max().unwrap_or(0);
    let place = loads.iter().position(|load| *load == most).unwrap_or(0);
    (place, most)
}
