//! How loads are judged: how full the fullest of several places is beside their mean.
//!
//! The test of [evenness](super::evenness) asks whether the hash is sound. This one asks whether a tablet or a server
//! is hot, whatever the reason.

use std::collections::BTreeMap;

use fluo_core::{Tablet, Tablets};

use super::evenness::LEAST_P_VALUE;
use super::load::{FullestTablet, Load, LoadStanding, ServerLoad, TabletLoad};
use super::max_skew::MaxSkew;
use crate::number::{float, float_len};

/// The entries that one row is taken for where rows are not counted: cells and versions of a row come together.
const ENTRIES_OF_A_ROW: f64 = 10.0;

/// Where the fullest place is to have more than this many times the mean by design, it may hold this many times its
/// share: a bucket more than other tablets, or a tablet more than other servers.
const NEARLY: f64 = 1.25;
/// The places that are to share a total.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) count: usize,
    /// The largest share that one of them is to have by design.
    pub(super) share: f64,
}

impl Places {
    /// Places that are to have the same.
    pub(super) fn equal(count: usize) -> Self {
        Self {
            count,
            share: 1.0 / float_len(count.max(1)),
        }
    }

    /// Places that are to have parts by these weights.
    pub(super) fn weighted(weights: &[u64]) -> Self {
        let largest = weights.iter().max().copied().unwrap_or_default();
        let all: u64 = weights.iter().sum();
        Self {
            count: weights.iter().filter(|weight| **weight > 0).count(),
            share: float(largest) / float(all.max(1)),
        }
    }

    /// Servers that are to share so many tablets. Where there are fewer tablets than servers, one server each.
    fn servers(servers: usize, tablets: usize) -> Self {
        let (servers, tablets) = (servers.max(1), tablets.max(1));
        Self {
            count: servers.min(tablets),
            share: float_len(tablets.div_ceil(servers)) / float_len(tablets),
        }
    }

    /// The largest share that passes.
    fn limit(self, max_skew: MaxSkew) -> f64 {
        let limit = max_skew.among(self.count) / float_len(self.count.max(1));
        let skew_by_design = self.share * float_len(self.count);
        if skew_by_design > NEARLY {
            limit.max(NEARLY * self.share)
        } else {
            limit
        }
    }
}

/// How loads are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) max_skew: MaxSkew,
    /// Whether rows are counted, each of which falls by itself, and not entries.
    pub(super) counts_rows: bool,
}

impl Scale {
    /// What the fullest of these places says.
    pub(super) fn judge(self, places: Places, total: u64, largest: u64) -> LoadStanding {
        if total == 0 {
            return LoadStanding::Empty;
        }
        if places.count < 2 {
            return LoadStanding::OnePlace;
        }
        let limit = places.limit(self.max_skew) * float(total);
        // Just beyond the limit, and not beyond all: would it be told from chance?
        let beyond = (limit.floor() + 1.0).min(float(total));
        if float(largest) > limit && self.is_no_chance(places, total, float(largest)) {
            LoadStanding::TooFull
        } else if beyond > limit && self.is_no_chance(places, total, beyond) {
            LoadStanding::Even
        } else {
            LoadStanding::TooFewToTell
        }
    }

    /// Whether chance does not explain that one of the places holds so much, if each row falls in one of them by its
    /// share: Chernoff's bound of the binomial tail, `exp(-n * KL(q, p))`, for all places together. It is exact where
    /// one place has all, and errs towards chance.
    fn is_no_chance(self, places: Places, total: u64, count: f64) -> bool {
        let (p, q) = (places.share, count / float(total));
        if q <= p {
            return false;
        }
        let rest = if q < 1.0 {
            (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln()
        } else {
            0.0
        };
        let divergence = q * (q / p).ln() + rest;
        let rows = float(total)
            / if self.counts_rows {
                1.0
            } else {
                ENTRIES_OF_A_ROW
            };
        float_len(places.count) * (-rows * divergence).exp() < LEAST_P_VALUE
    }

    /// The load of so many places, judged as these.
    fn load(self, judged: Places, places: usize, total: u64, largest: u64) -> Load {
        let mean = float(total) / float_len(places.max(1));
        Load {
            places,
            total,
            mean,
            largest,
            skew: (total > 0).then(|| float(largest) / mean),
            limit: judged.limit(self.max_skew) * float_len(places),
            standing: self.judge(judged, total, largest),
        }
    }

    /// The load of tablets that are to share `total`, of which these have so much each.
    pub(super) fn of_tablets<'a>(
        self,
        places: Places,
        total: u64,
        counts: impl Iterator<Item = (&'a Tablet, u64)>,
    ) -> TabletLoad {
        let mut fullest: Option<(&Tablet, u64)> = None;
        for (tablet, count) in counts {
            if count > fullest.map_or(0, |(_, most)| most) {
                fullest = Some((tablet, count));
            }
        }
        let largest = fullest.map_or(0, |(_, count)| count);
        TabletLoad {
            load: self.load(places, places.count, total, largest),
            fullest: fullest.map(|(tablet, _)| FullestTablet::new(tablet)),
        }
    }

    /// The load of the servers, by what their tablets hold.
    pub(super) fn of_servers(
        self,
        tablets: &Tablets,
        counts: &[u64],
        servers: &[String],
    ) -> ServerLoad {
        let mut per_server: BTreeMap<String, u64> =
            servers.iter().map(|server| (server.clone(), 0)).collect();
        let (mut unhosted, mut filled) = (0, 0);
        for (tablet, count) in tablets.as_slice().iter().zip(counts) {
            match &tablet.server {
                Some(server) => {
                    *per_server.entry(server.clone()).or_default() += count;
                    filled += usize::from(*count > 0);
                }
                None => unhosted += count,
            }
        }
        let total = per_server.values().sum();
        let mut fullest: Option<(&String, u64)> = None;
        for (server, count) in &per_server {
            if *count > fullest.map_or(0, |(_, most)| most) {
                fullest = Some((server, *count));
            }
        }
        let largest = fullest.map_or(0, |(_, count)| count);
        let places = Places::servers(per_server.len(), filled);
        ServerLoad {
            load: self.load(places, per_server.len(), total, largest),
            fullest: fullest.map(|(server, _)| server.clone()),
            unhosted,
            per_server,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LoadStanding::{Empty, Even, OnePlace, TooFewToTell, TooFull};
    use super::*;

    fn rows(max_skew: f64) -> Scale {
        Scale {
            max_skew: MaxSkew::new(max_skew).unwrap(),
            counts_rows: true,
        }
    }

    #[test]
    fn a_place_is_too_full_beyond_the_limit_unless_chance_explains_it() {
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
            // Of two places none can have more than twice the mean.
            (2, 25, 25, TooFull),
            (2, 1_000, 740, Even),
            (2, 1_000, 760, TooFull),
            (3, 1_000, 660, Even),
            (3, 1_000, 670, TooFull),
        ] {
            let judged = rows(2.0).judge(Places::equal(places), total, largest);
            assert_eq!(judged, standing, "{largest} of {total} in {places}");
        }
    }

    #[test]
    fn a_large_limit_still_means_something_and_a_huge_one_means_nothing() {
        let judge = |limit, largest| rows(limit).judge(Places::equal(20), 10_000, largest);
        assert_eq!(judge(10.0, 4_900), Even);
        assert_eq!(judge(10.0, 5_100), TooFull);
        assert_eq!(judge(100.0, 8_000), Even);
        assert_eq!(judge(100.0, 9_000), TooFull);
        assert_eq!(judge(1e6, 10_000), TooFull, "all of it in one place");
        assert_eq!(judge(1e6, 9_999), Even);
    }

    #[test]
    fn entries_come_in_bunches() {
        let entries = Scale {
            counts_rows: false,
            ..rows(2.0)
        };
        let judge = |total, largest| entries.judge(Places::equal(20), total, largest);
        assert_eq!(judge(25, 25), TooFewToTell);
        assert_eq!(judge(250, 250), TooFull);
    }

    #[test]
    fn a_share_that_is_large_by_design_is_no_chance() {
        let places = Places::weighted(&[2, 1, 0]);
        assert_eq!(places.count, 2);
        assert_eq!(rows(2.0).judge(places, 10_000, 6_700), Even);
        assert_eq!(rows(2.0).judge(places, 10_000, 8_000), Even);
        assert_eq!(rows(2.0).judge(places, 10_000, 9_000), TooFull);
    }

    fn tablets(servers: &[&str]) -> Tablets {
        let tablet = |server: &&str| Tablet {
            end_row: None,
            server: (!server.is_empty()).then(|| (*server).to_owned()),
            entries: 0,
        };
        Tablets::new(servers.iter().map(tablet).collect())
    }

    fn on_servers(placed: &[&str], counts: &[u64], servers: &[&str]) -> ServerLoad {
        let servers: Vec<_> = servers.iter().map(|server| (*server).to_owned()).collect();
        rows(2.0).of_servers(&tablets(placed), counts, &servers)
    }

    #[test]
    fn a_server_is_too_full_beyond_what_its_number_of_tablets_explains() {
        // Three tablets cannot be spread better over two servers, nor over eight.
        let three = on_servers(&["a", "b", "a"], &[1_010, 1_000, 1_010], &["a", "b"]);
        assert!(!three.load.is_too_full(), "{three:?}");
        let eight: Vec<_> = "abcdefgh"
            .split("")
            .filter(|name| !name.is_empty())
            .collect();
        let few = on_servers(&["a", "b", "c"], &[1_300, 1_000, 700], &eight);
        assert!(!few.load.is_too_full(), "{few:?}");
        let one = on_servers(&["a", "a", "a"], &[1_000; 3], &eight);
        assert!(one.load.is_too_full() && one.fullest.as_deref() == Some("a"));
        // Even tablets in unequal numbers, and equal numbers of uneven tablets.
        let placed = ["a", "a", "a", "a", "a", "b"];
        assert!(
            on_servers(&placed, &[500; 6], &["a", "b"])
                .load
                .is_too_full()
        );
        let placed = ["a", "b", "c", "d", "a", "b", "c", "d"];
        let counts = [900, 300, 300, 300, 900, 100, 100, 100];
        let uneven = on_servers(&placed, &counts, &["a", "b", "c", "d"]);
        assert!(uneven.load.is_too_full(), "{uneven:?}");
    }

    #[test]
    fn what_no_server_hosts_loads_none() {
        let load = on_servers(&["a", "", "b"], &[10, 7, 10], &["a", "b"]);
        assert_eq!((load.load.total, load.unhosted), (20, 7));
    }
}
