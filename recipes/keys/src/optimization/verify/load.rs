//! The judgment of loads: the fullest of several places compared with its share.
//!
//! The test of [chi-square](ChiSquare) checks the hash. This one checks whether a tablet or a
//! server is hot for any reason.

use std::fmt;

use fluo_table::{Escaped, Grouped, Tablet};
use serde::Serialize;

use super::options::MaxSkew;
use crate::chi_square::ChiSquare;
use crate::number::{float, float_len};

/// The number of entries that count as one row if rows are not counted: the cells and versions of a
/// row are stored together.
const ENTRIES_OF_A_ROW: f64 = 10.0;

/// The judgment of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadStanding {
    /// The fullest place is within the limit, and there are enough rows to show one beyond it.
    Even,
    /// There are too few rows to decide, or none.
    TooFewToTell,
    /// The fullest place is beyond the limit, and chance does not explain it.
    TooFull,
    /// The places are not compared: there is only one, or the rows are
    /// [transient](crate::TableRequirementBuilder::transient).
    NotCompared,
}

/// A tablet or a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Place {
    /// A tablet.
    Tablet {
        /// The end row, escaped, or `None` for the last tablet of the table.
        end_row: Option<String>,
        /// The server that hosts the tablet, if any.
        server: Option<String>,
    },
    /// The server with this name.
    Server(String),
}

/// The distribution of rows, or of entries if rows are not counted, over the places that share
/// them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Load {
    /// `true` if rows were counted, and `false` if the figures are entries.
    pub counted: bool,
    /// The number of places; for the tablets of a recipe, of planned ones.
    pub places: usize,
    /// The number of rows in all places together.
    pub total: u64,
    /// The place with the largest multiple of its share, or `None` if all are empty.
    pub fullest: Option<Place>,
    /// The number of rows in the fullest place.
    pub largest: u64,
    /// The multiple of its share in the fullest place, or `None` if all are empty.
    pub skew: Option<f64>,
    /// The largest accepted skew. For few places it is less than the given limit.
    pub limit: f64,
    /// The judgment of these figures.
    pub standing: LoadStanding,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) max_skew: MaxSkew,
    /// `true` for rows, each of which is placed independently, and `false` for entries.
    pub(super) counted: bool,
}

/// A place with its number of rows, and its share of the total, from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) place: Place,
    pub(super) count: u64,
    pub(super) share: f64,
}

impl From<&Tablet> for Place {
    fn from(tablet: &Tablet) -> Self {
        Self::Tablet {
            end_row: tablet.end_row.as_ref().map(|row| Escaped(row).to_string()),
            server: tablet.server.clone(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (end_row, server) = match self {
            Self::Server(server) => return write!(f, "server {server}"),
            Self::Tablet { end_row, server } => (end_row, server),
        };
        match end_row {
            Some(end_row) => write!(f, "tablet `{end_row}`")?,
            None => f.write_str("the last tablet")?,
        }
        write!(f, " on {}", server.as_deref().unwrap_or("no server"))
    }
}

impl Load {
    /// Checks whether the fullest place is beyond the limit.
    pub fn is_too_full(&self) -> bool {
        self.standing == LoadStanding::TooFull
    }

    /// Returns the mean number of rows in a place.
    pub fn mean(&self) -> f64 {
        float(self.total) / float_len(self.places.max(1))
    }

    /// Returns the same figures, without a judgment unless the condition holds.
    pub(super) fn compared_if(mut self, condition: bool) -> Self {
        if !condition {
            self.standing = LoadStanding::NotCompared;
        }
        self
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(fullest) = &self.fullest {
            write!(f, "{fullest} holds ")?;
        }
        let (largest, total) = (Grouped(self.largest), Grouped(self.total));
        let unit = if self.counted { "rows" } else { "entries" };
        let (skew, limit) = (self.skew.unwrap_or_default(), format!("{:.2}", self.limit));
        let limit = limit.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{largest} of {total} {unit}, {skew:.2} times its share; the limit is {limit}")
    }
}

impl Scale {
    /// Returns the load of these parts of a total that a number of places share.
    pub(super) fn load(self, places: usize, total: u64, parts: Vec<Part>) -> Load {
        let even = 1.0 / float_len(places.max(1));
        let least = parts.iter().map(|part| part.share).fold(even, f64::min);
        let height = |part: &Part| float(part.count) / self.max_skew.of_share(part.share);
        let filled = parts.into_iter().filter(|part| part.count > 0);
        let fullest = filled.max_by(|a, b| height(a).total_cmp(&height(b)));
        let (largest, share) = match &fullest {
            Some(part) => (part.count, part.share),
            None => (0, even),
        };
        Load {
            counted: self.counted,
            places,
            total,
            skew: (total > 0).then(|| float(largest) / (float(total) * share)),
            fullest: fullest.map(|part| part.place),
            largest,
            limit: self.max_skew.of_share(share) / share,
            standing: self.judge(places, total, largest, share, least),
        }
    }

    /// Judges a place with this share that has `largest`. No place has a smaller share than
    /// `least`.
    fn judge(
        self,
        places: usize,
        total: u64,
        largest: u64,
        share: f64,
        least: f64,
    ) -> LoadStanding {
        let total = float(total);
        let limit = |share| self.max_skew.of_share(share) * total;
        let is_beyond = |share, count| {
            count > limit(share) && !self.is_chance(places, share, count / total, total)
        };
        if places < 2 {
            LoadStanding::NotCompared
        } else if is_beyond(share, float(largest)) {
            LoadStanding::TooFull
        } else if is_beyond(least, (limit(least).floor() + 1.0).min(total)) {
            // A count just beyond the limit could be distinguished from chance.
            LoadStanding::Even
        } else {
            LoadStanding::TooFewToTell
        }
    }

    /// Checks whether chance explains the part `q` of `total` rows in one of the places, if each
    /// row falls into a place by its share `p`. The test is Chernoff's bound of the binomial tail,
    /// `exp(-n * KL(q, p))`, for all places together. It is exact if one place has all, and
    /// otherwise too large.
    fn is_chance(self, places: usize, p: f64, q: f64, total: f64) -> bool {
        let rest = if q < 1.0 { (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln() } else { 0.0 };
        let divergence = q * (q / p).ln() + rest;
        let rows = total / if self.counted { 1.0 } else { ENTRIES_OF_A_ROW };
        float_len(places) * (-rows * divergence).exp() >= ChiSquare::MIN_P_VALUE
    }
}

#[cfg(test)]
mod tests {
    use super::LoadStanding::{Even, NotCompared, TooFewToTell, TooFull};
    use super::*;

    fn scale(max_skew: f64, counted: bool) -> Scale {
        let max_skew = MaxSkew::new(max_skew).unwrap();
        Scale { max_skew, counted }
    }

    fn even(scale: Scale, places: usize, total: u64, largest: u64) -> LoadStanding {
        let share = 1.0 / float_len(places);
        scale.judge(places, total, largest, share, share)
    }

    #[test]
    fn judges_a_place_beyond_the_limit_as_too_full_unless_chance_explains_it() {
        for (places, total, largest, standing) in [
            (20, 0, 0, TooFewToTell),
            (1, 100, 100, NotCompared),
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
            let judged = even(scale(2.0, true), places, total, largest);
            assert_eq!(judged, standing, "{largest} of {total} in {places}");
        }
    }

    #[test]
    fn a_large_limit_still_has_an_effect() {
        let judge = |limit, largest| even(scale(limit, true), 20, 10_000, largest);
        assert_eq!(judge(10.0, 4_900), Even);
        assert_eq!(judge(10.0, 5_100), TooFull);
        assert_eq!(judge(100.0, 8_000), Even);
        assert_eq!(judge(100.0, 9_000), TooFull);
        assert_eq!(judge(1e6, 10_000), TooFull, "all of it in one place");
        assert_eq!(judge(1e6, 9_999), Even);
    }

    #[test]
    fn requires_more_entries_than_rows() {
        let judge = |total, largest| even(scale(2.0, false), 20, total, largest);
        assert_eq!(judge(25, 25), TooFewToTell);
        assert_eq!(judge(250, 250), TooFull);
    }

    #[test]
    fn compares_a_place_with_its_own_share() {
        let (large, small) = (2.0 / 3.0, 1.0 / 3.0);
        for (share, largest, standing) in [
            (large, 6_700, Even),
            (large, 8_000, Even),
            (large, 9_000, TooFull),
            (small, 6_600, Even),
            (small, 6_700, TooFull),
        ] {
            let scale = scale(2.0, true);
            let judged = scale.judge(2, 10_000, largest, share, small);
            assert_eq!(judged, standing, "{largest} of {share}");
        }
    }
}
