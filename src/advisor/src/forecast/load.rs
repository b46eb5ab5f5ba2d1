//! The distribution of the sampled keys over the tablets of a design.

use std::collections::{HashMap, HashSet};

use fluo_keys::KeyDesign;
use fluo_table::Bytes;
use serde::Serialize;

use super::splits::{Splits, first_of_newest};
use super::written::{Written, largest_part};
use crate::KeyProfile;
use crate::profile::{Arrivals, WindowSpread};
use fluo_keys::number::{count, float, float_len};

/// The load of the tablets of a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadForecast {
    /// The keys of the sample in each tablet, in the order of the table. A repeated row counts each
    /// time.
    pub keys: Vec<u64>,
    /// The newest keys of the sample in each tablet. The newest twentieth of all arrivals shows
    /// where the next keys go; a repeated row counts once. `None` if the keys are not in order of
    /// arrival.
    pub newest_keys: Option<Vec<u64>>,
    /// The load of the fullest tablet over the mean load; at least 1.
    pub largest_over_mean: f64,
    /// The largest share of the newest keys in one tablet; `None` without them.
    pub newest_in_one: Option<f64>,
    /// The number of different heads (salts with the text around them) of the keys; `None` without
    /// a salt.
    pub salts_used: Option<u64>,
    /// The mean number of bytes that the design adds to a key.
    pub added_bytes: f64,
    /// `true` if the split points were chosen from the sample, because the design has none of its
    /// own.
    pub splits_are_of_the_sample: bool,
    #[serde(skip)]
    pub(crate) splits: Splits,
    /// The keys of all tablets, and the fullest of them.
    #[serde(skip)]
    pub(crate) all: Crowd,
    /// The newest keys, each counted once, and the fullest tablet of those.
    #[serde(skip)]
    pub(crate) newest: Option<Crowd>,
    /// The largest salted part, such as a domain. `None` if nothing is salted, or if the whole row
    /// is.
    #[serde(skip)]
    pub(crate) largest_part: Option<Bytes>,
    /// The number of tablets that keys go to if they arrive one after the other. `None` for a
    /// design with a salt, which may keep keys together on purpose, and if the keys are not in
    /// order of arrival, or too few to tell.
    #[serde(skip)]
    pub(crate) windows: Option<WindowSpread>,
}

/// A number of keys, the fullest tablet of them, and the sizes of their salted parts.
///
/// Keys that share a part are in one tablet by design, so that chance places the part once, and not
/// each key. In designs without a salt each row is a part, and in designs with random salts each
/// key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crowd {
    pub(crate) keys: u64,
    pub(crate) fullest: u64,
    /// The number of keys of the largest part.
    pub(crate) largest_part: u64,
    /// The number of keys that share the part of a key, on average over the keys: with `w` keys in
    /// a part, `sum of w^2 / sum of w`. The variance of the load of a tablet is that of single
    /// keys, multiplied by this figure.
    pub(crate) sharing: f64,
}

impl Crowd {
    fn new(loads: &[u64], parts: impl Iterator<Item = u64>) -> Self {
        let mut sizes: HashMap<u64, u64> = HashMap::new();
        for part in parts {
            *sizes.entry(part).or_default() += 1;
        }
        let keys = loads.iter().sum();
        let squares: f64 = sizes.values().map(|size| float(*size).powi(2)).sum();
        Self {
            keys,
            fullest: loads.iter().copied().max().unwrap_or(0),
            largest_part: sizes.values().copied().max().unwrap_or(0),
            sharing: squares / float(keys.max(1)),
        }
    }
}

impl LoadForecast {
    pub(crate) fn new(
        written: &[Written<'_>],
        splits: Splits,
        profile: &KeyProfile,
        design: &KeyDesign,
    ) -> Self {
        let keys = loads(written.iter(), &splits);
        let all = Crowd::new(&keys, written.iter().map(|written| written.part));
        let (newest_keys, newest) = newest(written, &splits, profile).unzip();
        let has_salt = written.iter().any(|written| written.head > 0);
        let heads = written.iter().filter_map(|written| written.key.get(..written.head));
        let bytes =
            |of: fn(&Written<'_>) -> usize| float(written.iter().map(|w| count(of(w))).sum());
        let added = bytes(|written| written.key.len()) - bytes(|written| written.row.len());
        let share_of = |newest: &Crowd| fluo_keys::number::share(newest.fullest, newest.keys);
        Self {
            largest_over_mean: float(all.fullest) * float_len(keys.len()) / float(all.keys.max(1)),
            newest_in_one: newest.as_ref().map(share_of),
            salts_used: has_salt.then(|| count(heads.collect::<HashSet<_>>().len())),
            added_bytes: added / float_len(written.len().max(1)),
            splits_are_of_the_sample: splits.are_of_the_sample,
            all,
            newest_keys,
            newest,
            largest_part: largest_part(design, written),
            windows: if has_salt { None } else { windows(written, &splits, profile) },
            splits,
            keys,
        }
    }

    /// Returns the number of tablets.
    pub fn tablets(&self) -> u64 {
        count(self.keys.len())
    }
}

/// Returns the newest keys, by tablet and as a crowd. A key that was written again counts once.
fn newest(
    written: &[Written<'_>],
    splits: &Splits,
    profile: &KeyProfile,
) -> Option<(Vec<u64>, Crowd)> {
    let first = first_of_newest(profile.keys);
    if profile.order.arrivals == Arrivals::Unordered || first == profile.keys {
        return None;
    }
    let mut seen = HashSet::new();
    let newest = written.iter().filter(|written| written.arrival >= first);
    let newest: Vec<_> = newest.filter(|written| seen.insert(&written.key)).collect();
    let loads = loads(newest.iter().copied(), splits);
    let crowd = Crowd::new(&loads, newest.iter().map(|written| written.part));
    Some((loads, crowd))
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

fn loads<'a>(written: impl Iterator<Item = &'a Written<'a>>, splits: &Splits) -> Vec<u64> {
    let mut loads = vec![0; splits.tablets()];
    for written in written {
        if let Some(load) = loads.get_mut(splits.tablet_of(&written.key)) {
            *load += 1;
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: parts of 3, 1 and 1 keys, so (9 + 1 + 1) / 5.
    #[test]
    fn weights_parts_by_their_keys() {
        let crowd = Crowd::new(&[4, 1], [7, 8, 7, 7, 9].into_iter());
        assert_eq!((crowd.keys, crowd.fullest, crowd.largest_part), (5, 4, 3));
        assert!((crowd.sharing - 2.2).abs() < 1e-9, "{crowd:?}");
        let none = Crowd::new(&[0], std::iter::empty());
        assert!(none.sharing.abs() < 1e-9 && none.largest_part == 0);
    }
}
