//! The places of keys that arrive one after the other.

use std::collections::HashSet;

use crate::number::{count, share};

/// The number of sampled keys in a window.
pub(crate) const WINDOW_KEYS: usize = 100;
/// The least number of different keys in a window that shows a concentration.
const TELLING_KEYS: usize = 20;
/// The least number of windows that show how keys arrive.
const TELLING_WINDOWS: u64 = 3;

/// Returns the mean share of the keys of a window that the busiest place takes. `None` if there are
/// too few different keys to tell.
///
/// `arrivals` are the arrival, the key and the place of each sampled key. A window is a hundred of
/// them in their order of arrival, and a key that arrives several times in it counts once: repeated
/// keys are a finding of their own.
pub(crate) fn busiest_share_of_windows<'a>(
    arrivals: impl IntoIterator<Item = (u64, &'a [u8], usize)>,
    places: usize,
) -> Option<f64> {
    let mut arrivals: Vec<_> = arrivals.into_iter().collect();
    arrivals.sort_unstable();
    let (mut sum, mut windows) = (0.0, 0);
    let mut loads = vec![0_u64; places];
    for window in arrivals.chunks_exact(WINDOW_KEYS) {
        let mut seen = HashSet::new();
        loads.fill(0);
        for (_, key, place) in window {
            if let Some(load) = loads.get_mut(*place).filter(|_| seen.insert(key)) {
                *load += 1;
            }
        }
        if seen.len() >= TELLING_KEYS {
            let busiest = loads.iter().copied().max().unwrap_or(0);
            sum += share(busiest, count(seen.len()));
            windows += 1;
        }
    }
    (windows >= TELLING_WINDOWS).then(|| sum / crate::number::float(windows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busiest(keys: &[String], place: impl Fn(u64) -> usize) -> Option<f64> {
        let arrivals = (0..).zip(keys).map(|(arrival, key)| {
            let place = place(arrival);
            (arrival, key.as_bytes(), place)
        });
        busiest_share_of_windows(arrivals, 4)
    }

    #[test]
    fn measures_each_window_by_itself() {
        let keys: Vec<_> = (0..800).map(|key| key.to_string()).collect();
        let moving = busiest(&keys, |arrival| usize::try_from(arrival / 200).unwrap());
        assert!((moving.unwrap() - 1.0).abs() < 1e-9);
        let spread = busiest(&keys, |arrival| usize::try_from(arrival % 4).unwrap());
        assert!((spread.unwrap() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn too_few_different_keys_show_nothing() {
        let few: Vec<_> = (0..250).map(|key| key.to_string()).collect();
        assert_eq!(busiest(&few, |_| 0), None);
        let repeated: Vec<_> = (0..800).map(|key| (key % 19).to_string()).collect();
        assert_eq!(busiest(&repeated, |_| 0), None);
    }
}
