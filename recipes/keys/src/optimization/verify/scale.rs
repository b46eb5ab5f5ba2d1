//! The judgement of loads: the fullest of several places compared with their mean.
//!
//! The test of [chi-square](ChiSquare) checks the hash. This one checks whether a tablet or a
//! server is hot for any reason.

use fluo_table::Tablet;

use super::load::{FullestTablet, Load, LoadStanding, TabletLoad};
use super::max_skew::MaxSkew;
use crate::chi_square::ChiSquare;
use crate::number::{float, float_len};

/// The number of entries that count as one row if rows are not counted: the cells and versions of a
/// row are stored together.
const ENTRIES_OF_A_ROW: f64 = 10.0;

/// A quantity that several places share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// The number of places that share it.
    pub(super) places: usize,
    /// The number in all places together.
    pub(super) total: u64,
}

/// The scale of loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) max_skew: MaxSkew,
    /// `true` for rows, each of which is placed independently, and `false` for entries.
    pub(super) counts_rows: bool,
}

impl Whole {
    /// Returns the share of each place if all have the same.
    pub(super) fn even_share(self) -> f64 {
        1.0 / float_len(self.places.max(1))
    }
}

impl Scale {
    /// Judges a place with this share by design that has `count`. No place has a smaller share than
    /// `least`.
    pub(super) fn judge(self, whole: Whole, share: f64, least: f64, count: u64) -> LoadStanding {
        if whole.total == 0 {
            return LoadStanding::Empty;
        }
        if whole.places < 2 {
            return LoadStanding::OnePlace;
        }
        let limit = |share| self.max_skew.of_share(share) * float(whole.total);
        let count = float(count);
        if count > limit(share) && self.is_no_chance(whole, share, count) {
            return LoadStanding::TooFull;
        }
        // Checks whether a count just beyond the limit, but not beyond the total, could be
        // distinguished from chance.
        let limit = limit(least);
        let beyond = (limit.floor() + 1.0).min(float(whole.total));
        if beyond > limit && self.is_no_chance(whole, least, beyond) {
            LoadStanding::Even
        } else {
            LoadStanding::TooFewToTell
        }
    }

    /// Returns `true` if chance does not explain this count of one of the places, if each row falls
    /// into a place by its share `p`. The test is Chernoff's bound of the binomial tail,
    /// `exp(-n * KL(q, p))`, for all places together. It is exact if one place has all, and
    /// otherwise too large.
    fn is_no_chance(self, whole: Whole, p: f64, count: f64) -> bool {
        let q = count / float(whole.total);
        if q <= p {
            return false;
        }
        let rest = if q < 1.0 {
            (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln()
        } else {
            0.0
        };
        let divergence = q * (q / p).ln() + rest;
        let rows = float(whole.total)
            / if self.counts_rows {
                1.0
            } else {
                ENTRIES_OF_A_ROW
            };
        float_len(whole.places) * (-rows * divergence).exp() < ChiSquare::LEAST_P_VALUE
    }

    /// Returns the load of a place that has `largest`. Its skew is a multiple of `share`, and its
    /// limit that of a place with the share `by_design`.
    pub(super) fn load(
        self,
        whole: Whole,
        largest: u64,
        share: f64,
        by_design: f64,
        standing: LoadStanding,
    ) -> Load {
        let Whole { places, total } = whole;
        let expected = float(total) * share;
        Load {
            places,
            total,
            mean: float(total) / float_len(places.max(1)),
            largest,
            share,
            skew: (total > 0).then(|| float(largest) / expected),
            limit: self.max_skew.of_share(by_design) / share,
            standing,
        }
    }

    /// Returns the load of these tablets, each with its count and its share by design.
    pub(super) fn of_tablets<'a>(
        self,
        whole: Whole,
        counts: impl Iterator<Item = ((&'a Tablet, u64), f64)>,
    ) -> TabletLoad {
        let (mut fullest, mut highest) = (None, 0.0);
        let (mut largest, mut share, mut least) = (0, whole.even_share(), whole.even_share());
        for ((tablet, count), own) in counts {
            least = own.min(least);
            let height = float(count) / self.max_skew.of_share(own);
            if height > highest {
                (fullest, highest, largest, share) = (Some(tablet), height, count, own);
            }
        }
        let standing = self.judge(whole, share, least, largest);
        TabletLoad {
            load: self.load(whole, largest, share, share, standing),
            fullest: fullest.map(FullestTablet::new),
        }
    }

    /// Returns the load of these tablets, which all have the same share.
    pub(super) fn of_even_tablets<'a>(
        self,
        whole: Whole,
        counts: impl Iterator<Item = (&'a Tablet, u64)>,
    ) -> TabletLoad {
        self.of_tablets(whole, counts.map(|counted| (counted, whole.even_share())))
    }
}

#[cfg(test)]
mod tests {
    use super::LoadStanding::{Empty, Even, OnePlace, TooFewToTell, TooFull};
    use super::*;

    fn even(scale: Scale, places: usize, total: u64, largest: u64) -> LoadStanding {
        let whole = Whole { places, total };
        scale.judge(whole, whole.even_share(), whole.even_share(), largest)
    }

    fn rows(max_skew: f64) -> Scale {
        Scale {
            max_skew: MaxSkew::new(max_skew).unwrap(),
            counts_rows: true,
        }
    }

    #[test]
    fn judges_a_place_beyond_the_limit_as_too_full_unless_chance_explains_it() {
        for (places, total, largest, standing) in [
            (20, 0, 0, Empty),
            (1, 100, 100, OnePlace),
            (20, 3, 1, TooFewToTell),
            (20, 3, 3, TooFewToTell),
            (20, 25, 25, TooFull),
            (20, 200, 25, TooFewToTell),
            (20, 4_208, 228, Even),
            (20, 4_208, 420, Even),
            (20, 4_208, 421, TooFull),
            (20, 29_353, 13_309, TooFull),
            // No place of two can have more than twice the mean.
            (2, 25, 25, TooFull),
            (2, 1_000, 740, Even),
            (2, 1_000, 760, TooFull),
            (3, 1_000, 660, Even),
            (3, 1_000, 670, TooFull),
        ] {
            let judged = even(rows(2.0), places, total, largest);
            assert_eq!(judged, standing, "{largest} of {total} in {places}");
        }
    }

    #[test]
    fn a_large_limit_still_has_an_effect() {
        let judge = |limit, largest| even(rows(limit), 20, 10_000, largest);
        assert_eq!(judge(10.0, 4_900), Even);
        assert_eq!(judge(10.0, 5_100), TooFull);
        assert_eq!(judge(100.0, 8_000), Even);
        assert_eq!(judge(100.0, 9_000), TooFull);
        assert_eq!(judge(1e6, 10_000), TooFull, "all of it in one place");
        assert_eq!(judge(1e6, 9_999), Even);
    }

    #[test]
    fn requires_more_entries_than_rows() {
        let entries = Scale {
            counts_rows: false,
            ..rows(2.0)
        };
        let judge = |total, largest| even(entries, 20, total, largest);
        assert_eq!(judge(25, 25), TooFewToTell);
        assert_eq!(judge(250, 250), TooFull);
    }

    #[test]
    fn compares_a_place_with_its_own_share() {
        let whole = Whole {
            places: 2,
            total: 10_000,
        };
        let judge = |share, largest| rows(2.0).judge(whole, share, 1.0 / 3.0, largest);
        let (large, small) = (2.0 / 3.0, 1.0 / 3.0);
        assert_eq!(judge(large, 6_700), Even);
        assert_eq!(judge(large, 8_000), Even);
        assert_eq!(judge(large, 9_000), TooFull);
        assert_eq!(judge(small, 6_600), Even);
        assert_eq!(judge(small, 6_700), TooFull);
    }
}
