//! The places of keys that arrive one after the other.

use std::collections::HashSet;

use fluo_keys::number::{count, float, float_len, share};

/// The maximum number of sampled keys in a window.
const MAX_KEYS: usize = 100;
/// The inverse of the maximum share of the sample in a window.
const ONE_IN: usize = 20;
/// The least number of different keys in a window that shows a concentration.
const TELLING_KEYS: usize = 20;
/// The least number of windows that show how keys arrive.
const TELLING_WINDOWS: u64 = 3;
/// The number of places over that of random keys, below which keys arrive together.
const TOGETHER: f64 = 1.0 / 3.0;

/// The number of places, such as tablets, that keys of the sample go to if they arrive one after
/// the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WindowSpread {
    /// The mean number of places that a window goes to: 100 sampled keys, or a twentieth of the
    /// sample.
    pub(crate) places: f64,
    /// The number of places that as many keys would go to in random order.
    pub(crate) places_of_random: f64,
}

impl WindowSpread {
    /// Measures windows. `None` if there are too few different keys to tell.
    ///
    /// `arrivals` are the arrival, the key and the place of each sampled key. A key that arrives
    /// several times in a window counts once: repeated keys are a finding of their own.
    pub(crate) fn new<'a>(
        arrivals: impl IntoIterator<Item = (u64, &'a [u8], usize)>,
        places: usize,
    ) -> Option<Self> {
        let mut arrivals: Vec<_> = arrivals.into_iter().collect();
        arrivals.sort_unstable();
        let mut loads = vec![0_u64; places];
        for (_, _, place) in &arrivals {
            loads.get_mut(*place).into_iter().for_each(|load| *load += 1);
        }
        let total = count(arrivals.len());
        let keys = (arrivals.len() / ONE_IN).min(MAX_KEYS);
        if keys < TELLING_KEYS {
            return None;
        }
        let (mut met, mut random, mut windows) = (0.0, 0.0, 0);
        for window in arrivals.chunks_exact(keys) {
            let different: HashSet<_> = window.iter().map(|(_, key, _)| key).collect();
            if different.len() >= TELLING_KEYS {
                let own: HashSet<_> = window.iter().map(|(.., place)| place).collect();
                met += float_len(own.len());
                let thrown = float_len(different.len());
                let is_met = |load: &u64| 1.0 - (1.0 - share(*load, total)).powf(thrown);
                random += loads.iter().map(is_met).sum::<f64>();
                windows += 1;
            }
        }
        (windows >= TELLING_WINDOWS).then(|| Self {
            places: met / float(windows),
            places_of_random: random / float(windows),
        })
    }

    /// Checks whether keys that arrive one after the other go to far fewer places than random keys.
    pub(crate) fn is_together(&self) -> bool {
        self.places < self.places_of_random * TOGETHER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(keys: &[String], place: impl Fn(usize) -> usize) -> Option<WindowSpread> {
        let arrivals = keys.iter().enumerate();
        let arrivals =
            arrivals.map(|(arrival, key)| (count(arrival), key.as_bytes(), place(arrival)));
        WindowSpread::new(arrivals, 16)
    }

    fn keys(different: usize) -> Vec<String> {
        (0..3_200).map(|key| (key % different).to_string()).collect()
    }

    /// By hand: a hundred random keys leave out a place of sixteen with a chance of 0.0016.
    #[test]
    fn compares_each_window_with_random_keys() {
        let moving = spread(&keys(3_200), |arrival| arrival / 200).unwrap();
        assert!((moving.places - 1.0).abs() < 1e-9 && moving.is_together());
        assert!((moving.places_of_random - 15.975).abs() < 0.001, "{moving:?}");
        let spread = spread(&keys(3_200), |arrival| arrival % 16).unwrap();
        assert!((spread.places - 16.0).abs() < 1e-9 && !spread.is_together());
    }

    /// All keys are in two places, in any order: this is no concentration of the arrivals.
    #[test]
    fn uneven_places_alone_are_no_concentration() {
        let two = spread(&keys(3_200), |arrival| arrival % 2).unwrap();
        assert!((two.places_of_random - 2.0).abs() < 0.001 && !two.is_together());
    }

    #[test]
    fn too_few_different_keys_show_nothing() {
        assert_eq!(spread(&keys(3_200)[..399], |_| 0), None);
        assert_eq!(spread(&keys(19), |_| 0), None);
    }
}
