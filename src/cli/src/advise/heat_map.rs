//! The heat map: a picture of the arrival of keys against their place.

use std::fmt::Write;

use fluo_advisor::{Arrivals, HeatMap, KeyProfile};
use fluo_keys::number::{float, float_len};
use fluo_table::Escaped;
use maud::{Markup, html};

use crate::masking::masked;
use crate::text::{counted, shortened};

/// The maximum length of a common prefix that the keys of the heat map keep.
const MAX_SHOWN_PREFIX: usize = 8;
/// The least load of a cell of the heat map for each level, as a multiple of an even spread.
const LEVELS: [f64; 5] = [0.0, 0.5, 2.0, 8.0, 32.0];
const LEVEL_NAMES: [&str; 5] = ["below ½×", "even: ½ to 2×", "2 to 8×", "8 to 32×", "from 32×"];

/// The patterns in the order of arrival.
const PATTERNS: &str = " A diagonal: new keys go to one place. A vertical stripe: keys always arrive \
                        there. An even shade: random order.";

pub(super) fn heat_map(profile: &KeyProfile) -> Markup {
    let (arrival, patterns) = match profile.order.arrivals {
        Arrivals::Unordered => ("Order of reading (the arrival is unknown)", ""),
        Arrivals::AsWritten => ("Arrival", PATTERNS),
    };
    let marks = &profile.heat_map.marks;
    let is_first = |place: usize| place == 0 || marks.get(place - 1) != marks.get(place);
    let marks = || marks.iter().zip(0..).filter(|(_, place)| is_first(*place));
    let prefix = &profile.common_prefix;
    let mark = |key: &[u8]| {
        let (shown, hidden) = (masked(key), Escaped::start(prefix).to_string());
        match shown.strip_prefix(&hidden) {
            Some(rest) if prefix.len() > MAX_SHOWN_PREFIX => format!("..{}", shortened(rest)),
            _ => shortened(&shown),
        }
    };
    html! {
        figure.map {
            figcaption {
                strong { "Heat map" } br;
                (arrival) ", the first of " (counted(profile.keys, "key")) " on top, against the place of the key."
                (patterns)
            }
            (cells(&profile.heat_map))
            ol.marks aria-label="The first key of each quarter" {
                @for (key, place) in marks() {
                    li style=(format!("grid-column:{}", place + 1)) { code { (mark(key)) } }
                }
            }
            p.small { "Keys of a cell, over an even spread" }
            ul.legend {
                li { span.key aria-hidden="true" {} "none" }
                @for (level, name) in LEVEL_NAMES.iter().enumerate() {
                    li { span class=(format!("key level-{level}")) aria-hidden="true" {} (name) }
                }
            }
        }
    }
}

/// Draws a path for each level: neighbors with one level in a row are one line.
fn cells(map: &HeatMap) -> Markup {
    let mut paths = LEVELS.map(|_| String::new());
    let keys: u64 = map.slices.iter().flatten().map(|keys| u64::from(*keys)).sum();
    // The number of keys in a cell if the keys were spread evenly.
    let expected = float(keys) / float_len((map.buckets * map.slices.len()).max(1));
    for (slice, row) in map.slices.iter().enumerate() {
        let mut bucket = 0;
        for run in row.chunk_by(|a, b| level(*a, expected) == level(*b, expected)) {
            let count = run.first().copied().unwrap_or(0);
            if let Some(path) = level(count, expected).and_then(|level| paths.get_mut(level)) {
                let _ = write!(path, "M{bucket} {slice}h{}", run.len());
            }
            bucket += run.len();
        }
    }
    let (width, height) = (map.buckets.max(1), map.slices.len().max(1));
    html! {
        svg viewBox=(format!("0 -.5 {width} {height}")) preserveAspectRatio="none" role="img"
            aria-label="Heat map of arrival against the place of the key" {
            @for (level, path) in paths.iter().enumerate() { path class=(format!("level-{level}")) d=(path) {} }
        }
    }
}

fn level(keys: u32, expected: f64) -> Option<usize> {
    let is_reached = |least: &f64| keys > 0 && f64::from(keys) >= least * expected;
    LEVELS.iter().rposition(is_reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_with_the_keys() {
        let levels = [0, 1, 5, 19, 20, 80, 320].map(|keys| level(keys, 10.0));
        let expected = [None, Some(0), Some(1), Some(1), Some(2), Some(3), Some(4)];
        assert_eq!(levels, expected);
    }

    #[test]
    fn draws_neighbors_of_one_level_as_one_line() {
        let mut map = HeatMap::default();
        map.buckets = 4;
        map.slices = vec![vec![1, 1, 0, 9], vec![0; 4]];
        let drawn = cells(&map).into_string();
        assert!(drawn.contains(r#"d="M0 0h2""#) && drawn.contains(r#"d="M3 0h1""#), "{drawn}");
    }
}
