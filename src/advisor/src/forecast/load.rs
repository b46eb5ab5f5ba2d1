//! The distribution of the sampled keys over the tablets of a design.

use std::collections::HashSet;

use fluo_keys::ChiSquare;
use fluo_table::Bytes;
use serde::Serialize;

use super::interval::Estimate;
use super::parts::PartSizes;
use crate::KeyProfile;
use crate::number::{count, float, float_len};
use crate::profile::{Arrivals, WindowSpread};

/// The inverse of the share of the newest keys, which show where the next keys will go.
const NEWEST_ONE_IN: u64 = 20;

/// The load of the tablets of a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadForecast {
    /// The keys of the sample in each tablet, in the order of the table. A repeated row counts each
    /// time.
    pub keys: Vec<u64>,
    /// The split points between the tablets. They are not serialized: a spec contains those from
    /// the sample.
    #[serde(skip)]
    pub splits: Vec<Bytes>,
    /// `true` if the split points were chosen from the sample, because the design has none of its
    /// own.
    pub splits_are_of_the_sample: bool,
    /// Pearson's test of the salted parts, each counted once, against the design's promise. `None`
    /// if the design promises nothing, or if fewer than five parts are expected in a tablet.
    pub chi_square: Option<ChiSquare>,
    /// The sizes of the groups of keys that share a salted part.
    pub parts: PartSizes,
    /// The largest salted part, such as a domain. `None` if nothing is salted, or if the whole row
    /// is. It is not serialized: a verdict names it if it matters.
    #[serde(skip)]
    pub largest_part: Option<Bytes>,
    /// The load of the fullest tablet over the mean load; at least 1.
    pub largest_over_mean: Estimate,
    /// The same figure by the design's promise: the most salts of a tablet over the mean. `None` if
    /// the design promises nothing.
    pub promised: Option<f64>,
    /// The number of salts; `None` if the design promises nothing.
    pub salts: Option<u64>,
    /// The number of the fullest tablet, from 0.
    pub largest: usize,
    /// The distribution of the newest keys; `None` if the keys are not in order of arrival.
    pub tail: Option<TailForecast>,
    /// The number of tablets that keys go to if they arrive one after the other. `None` for a
    /// design with a salt, which may keep keys together on purpose, and if the keys are not in
    /// order of arrival, or too few to tell.
    pub windows: Option<WindowSpread>,
    /// The number of different heads (salts with the text around them) of the keys; `None` without
    /// a salt.
    pub salts_used: Option<u64>,
    /// The mean number of bytes that the design adds to a key.
    pub added_bytes: f64,
}

/// The distribution of the newest keys. A key that was written again counts once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TailForecast {
    /// The share of all arrivals that count as the newest: one twentieth.
    pub newest: f64,
    /// The number of different keys of the sample among them.
    pub keys: u64,
    /// The sizes of the groups of these keys that share a salted part.
    pub parts: PartSizes,
    /// The share of the newest keys that the busiest tablet takes.
    pub busiest_share: Estimate,
    /// The number of the busiest tablet, from 0.
    pub busiest: usize,
}

/// A key as the design writes it, with its arrival.
pub(super) struct Written<'a> {
    pub(super) arrival: u64,
    pub(super) row: &'a [u8],
    pub(super) key: Bytes,
    /// The hash of the salted part: equal for keys that the design keeps together.
    pub(super) part: u64,
    /// The number of bytes of the key before the row.
    pub(super) head: usize,
}

/// The split points of a table.
pub(super) struct Splits {
    pub(super) points: Vec<Bytes>,
    pub(super) are_of_the_sample: bool,
    /// The expected load of each tablet, if the design promises one.
    pub(super) weights: Option<Vec<u64>>,
}

impl Splits {
    /// Returns points that divide the written keys, without the newest, into equal parts: a table
    /// is split by its present rows, before more arrive. If there are fewer keys than tablets, each
    /// key has a tablet.
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
        // No row sorts before the empty row.
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

    /// Returns the number of the tablet of a key. A tablet contains its end row.
    fn tablet_of(&self, key: &[u8]) -> usize {
        self.points.partition_point(|end| end.as_ref() < key)
    }
}

fn first_of_newest(keys: u64) -> u64 {
    keys - keys / NEWEST_ONE_IN
}

impl LoadForecast {
    pub(super) fn new(
        written: &[Written<'_>],
        splits: Splits,
        profile: &KeyProfile,
        largest_part: Option<Bytes>,
    ) -> Self {
        let tablets = splits.tablets();
        let is_complete = profile.sample.is_complete;
        let loads = loads(written.iter(), &splits, tablets);
        let (largest, most) = largest_of(&loads);
        let share = Estimate::for_largest_share(most, count(written.len()), tablets, is_complete);
        let chi_square = splits
            .weights
            .as_deref()
            .and_then(|weights| ChiSquare::new(&thrown(written, &splits, tablets), weights));
        let keys_bytes: u64 = written.iter().map(|written| count(written.key.len())).sum();
        let rows_bytes: u64 = written.iter().map(|written| count(written.row.len())).sum();
        let has_salt = written.iter().any(|written| written.head > 0);
        let heads = written
            .iter()
            .filter_map(|written| written.key.get(..written.head));
        Self {
            chi_square,
            parts: PartSizes::new(written.iter().map(|written| written.part)),
            largest_part,
            largest_over_mean: share.times(float_len(tablets)).not_below_one(),
            promised: splits.weights.as_deref().map(promised),
            salts: splits.weights.as_ref().map(|weights| weights.iter().sum()),
            largest,
            tail: tail(written, &splits, profile),
            windows: match has_salt {
                true => None,
                false => windows(written, &splits, profile),
            },
            salts_used: has_salt.then(|| count(heads.collect::<HashSet<_>>().len())),
            added_bytes: (float(keys_bytes) - float(rows_bytes)) / float_len(written.len().max(1)),
            keys: loads,
            splits_are_of_the_sample: splits.are_of_the_sample,
            splits: splits.points,
        }
    }

    /// Returns the number of tablets.
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
        parts: PartSizes::new(newest.iter().map(|written| written.part)),
        busiest_share: Estimate::for_largest_share(most, keys, tablets, is_complete),
        busiest,
    })
}

fn windows(written: &[Written<'_>], splits: &Splits, profile: &KeyProfile) -> Option<WindowSpread> {
    if profile.order.arrivals == Arrivals::Unordered {
        return None;
    }
    let arrivals = written.iter().map(|written| {
        let tablet = splits.tablet_of(&written.key);
        (written.arrival, written.key.as_ref(), tablet)
    });
    WindowSpread::new(arrivals, splits.tablets())
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

/// Returns the number of different salted parts in each tablet.
fn thrown(written: &[Written<'_>], splits: &Splits, tablets: usize) -> Vec<u64> {
    let mut seen = HashSet::new();
    let first = written.iter().filter(|written| seen.insert(written.part));
    loads(first, splits, tablets)
}

/// Returns the place and the size of the largest load; the first of several.
fn largest_of(loads: &[u64]) -> (usize, u64) {
    let most = loads.iter().copied().max().unwrap_or(0);
    let place = loads.iter().position(|load| *load == most).unwrap_or(0);
    (place, most)
}
