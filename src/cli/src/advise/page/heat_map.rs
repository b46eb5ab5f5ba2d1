//! A key visualizer: the keys by their arrival and by their place in the table.

use std::fmt::Write;

use crate::text::count_of;
use fluo_advisor::{Arrivals, HeatMap, KeyProfile};
use fluo_table::Grouped;
use maud::{Markup, html};

/// The least load of a cell for each level, as a multiple of an even spread.
const LEVELS: [f64; 5] = [0.0, 4.0, 16.0, 64.0, 256.0];
/// The number of rows and columns of the table with the same figures.
const COARSE: usize = 10;

/// Returns the picture of the keys.
pub(super) fn picture(profile: &KeyProfile) -> Markup {
    let map = &profile.heat_map;
    html! {
        p {
            @match profile.order.arrivals {
                Arrivals::Unordered => "These keys are not in order of arrival: the vertical axis shows the order of reading.",
                Arrivals::AsWritten => {
                    "A line from corner to corner: new keys go to one place. A vertical stripe: keys that arrive all the time. "
                    "An even shade: keys arrive in random order."
                }
            }
        }
        figure.map {
            figcaption { "Arrival of keys against " (Grouped(count_of(map.buckets))) " equal key buckets" }
            p.axis-y { "Arrival, % of all keys (the oldest on top)" }
            div.plot {
                div.ticks-y aria-hidden="true" { span { "0 %" } span { "50 %" } span { "100 %" } }
                (svg(map))
                div.ticks-x aria-hidden="true" {
                    @for tick in ["1", "250", "500", "750", "1,000"] { span { (tick) } }
                }
            }
            p.axis-x { "Key bucket, in order of keys (0.1 % of the keys each)" }
            (legend())
            (table(map))
        }
    }
}

/// Draws a path for each level: neighbors with one level in a row are one piece.
fn svg(map: &HeatMap) -> Markup {
    let mut paths = LEVELS.map(|_| String::new());
    let expected = expected(map);
    for (slice, row) in map.slices.iter().enumerate() {
        let mut bucket = 0;
        for run in row.chunk_by(|a, b| level(*a, expected) == level(*b, expected)) {
            let count = run.first().copied().unwrap_or(0);
            if let Some(path) = level(count, expected).and_then(|level| paths.get_mut(level)) {
                // Writing to a string does not fail.
                let _ = write!(path, "M{bucket} {slice}h{0}v1h-{0}z", run.len());
            }
            bucket += run.len();
        }
    }
    let (width, height) = (map.buckets.max(1), map.slices.len().max(1));
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) preserveAspectRatio="none" role="img"
            aria-label="Heat map of arrival against key buckets; the table below has the figures" {
            @for (level, path) in paths.iter().enumerate() {
                path class=(format!("level-{level}")) d=(path) {}
            }
        }
    }
}

/// Returns the number of keys in a cell if the keys were spread evenly.
#[expect(clippy::cast_precision_loss, reason = "a scale for a picture")]
fn expected(map: &HeatMap) -> f64 {
    let keys: u64 = map
        .slices
        .iter()
        .flatten()
        .map(|keys| u64::from(*keys))
        .sum();
    keys as f64 / (map.buckets * map.slices.len()).max(1) as f64
}

fn level(keys: u32, expected: f64) -> Option<usize> {
    (keys > 0).then(|| {
        LEVELS
            .iter()
            .rposition(|least| f64::from(keys) >= least * expected)
    })?
}

fn legend() -> Markup {
    html! {
        p.legend-title { "Keys of a cell, times an even spread" }
        ul.legend {
            @for (level, least) in LEVELS.iter().enumerate() {
                li {
                    span class=(format!("key level-{level}")) aria-hidden="true" {}
                    @match LEVELS.get(level + 1) {
                        Some(most) => span { @if level > 0 { (least) " " } @else { "up " } "to " (most) "\u{d7}" },
                        None => span { (least) "\u{d7} and more" },
                    }
                }
            }
        }
    }
}

/// Returns a table of the same figures, for tenths of the arrivals and tenths of the keys.
fn table(map: &HeatMap) -> Markup {
    let mut coarse = [[0_u64; COARSE]; COARSE];
    for (slice, row) in map.slices.iter().enumerate() {
        for (bucket, keys) in row.iter().enumerate() {
            let tenth = slice * COARSE / map.slices.len().max(1);
            let cells = coarse.get_mut(tenth);
            let cell = cells.and_then(|cells| cells.get_mut(bucket * COARSE / map.buckets.max(1)));
            if let Some(cell) = cell {
                *cell += u64::from(*keys);
            }
        }
    }
    html! {
        details {
            summary { "Table" }
            div.scroll tabindex="0" role="region" aria-label="Arrivals against keys" {
                table {
                    caption { "Keys counted, by tenths of the arrivals (rows) and of the keys (columns)" }
                    thead {
                        tr {
                            th scope="col" { "arrival" }
                            @for tenth in 0..COARSE { th.figure scope="col" { (tenth * 10) " to " ((tenth + 1) * 10) " %" } }
                        }
                    }
                    tbody {
                        @for (tenth, row) in coarse.iter().enumerate() {
                            tr {
                                th scope="row" { (tenth * 10) " to " ((tenth + 1) * 10) " %" }
                                @for keys in row { td.figure { (Grouped(*keys)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_with_the_keys() {
        let levels = [0, 1, 3, 4, 15, 16, 64, 256, u32::MAX].map(|keys| level(keys, 1.0));
        let expected = [
            None,
            Some(0),
            Some(0),
            Some(1),
            Some(1),
            Some(2),
            Some(3),
            Some(4),
            Some(4),
        ];
        assert_eq!(levels, expected);
    }

    #[test]
    fn draws_neighbors_of_one_level_as_one_piece() {
        let mut map = HeatMap::default();
        map.buckets = 4;
        map.slices = vec![vec![1, 1, 0, 9], vec![0; 4]];
        let drawn = svg(&map).into_string();
        assert!(
            drawn.contains(r#"d="M0 0h2v1h-2z""#) && drawn.contains("M3 0h1v1h-1z"),
            "{drawn}"
        );
    }
}
