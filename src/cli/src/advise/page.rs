//! The page: one HTML file with its style and its pictures, without scripts.
//!
//! Keys can contain any bytes. The page shows them in the escaped form, and `maud` escapes the
//! characters of HTML. Words and figures are HTML beside the pictures, so their size does not
//! depend on the size of a picture.

use std::fmt::Write;

use fluo_advisor::{Arrivals, HeatMap, KeyProfile, LoadForecast, RankedDesign};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figures::{self, Answer};
use super::text;

const STYLE: &str = include_str!("style.css");
const SECTIONS: [(&str, &str); 5] = [
    ("advice", "Advice"),
    ("keys", "Keys"),
    ("designs", "Designs"),
    ("load", "Load per tablet"),
    ("map", "Heat map"),
];
/// The maximum number of bars in a picture. Neighboring tablets share a bar if there are more.
const MAX_BARS: usize = 96;
const HEIGHT: f64 = 100.0;
/// The least load of a cell of the heat map for each level, as a multiple of an even spread.
const LEVELS: [f64; 5] = [0.0, 4.0, 16.0, 64.0, 256.0];

pub(super) fn page(answer: &Answer) -> String {
    let bodies = [
        advice(answer),
        keys(answer),
        designs(&answer.report.designs),
        loads(&answer.report.designs),
        heat_map(&answer.report.profile),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "Key advice: " (answer.source) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#advice" { "Skip to the advice" }
                header { h1 { "Keys of " span.source { (answer.source) } } }
                nav aria-label="Contents" {
                    ul { @for (id, title) in SECTIONS { li { a href=(format!("#{id}")) { (title) } } } }
                }
                main {
                    @for ((id, title), body) in SECTIONS.iter().zip(bodies) {
                        section id=(id) aria-labelledby=(format!("{id}-title")) {
                            h2 id=(format!("{id}-title")) { (title) }
                            (body)
                        }
                    }
                }
                footer { p { "Made by " code { "fluo advise" } " " (env!("CARGO_PKG_VERSION")) "." } }
            }
        }
    };
    page.into_string()
}

fn advice(answer: &Answer) -> Markup {
    html! {
        p.lead { (text::decision(&answer.report)) }
        @if let Some(spec) = &answer.spec {
            h3 { "Spec file" }
            pre tabindex="0" role="region" aria-label="Spec file" { code { (spec) } }
            p { (answer.next) }
        }
    }
}

fn keys(answer: &Answer) -> Markup {
    html! {
        table {
            tbody {
                @for (name, figure) in figures::figures(answer) {
                    tr { th scope="row" { (name) } td.key { (figure) } }
                }
            }
        }
    }
}

fn designs(designs: &[RankedDesign]) -> Markup {
    html! {
        p {
            "The best first. Fullest / mean: the fullest tablet over the mean. Newest in one: the largest share of "
            "the newest keys in one tablet. Prefix scan: the ranges of the table with the rows of a prefix."
        }
        div.scroll tabindex="0" role="region" aria-label="Figures of the designs" {
            table {
                thead { tr { @for name in text::HEADER { th scope="col" { (name.text()) } } } }
                tbody {
                    @for design in designs {
                        @let [name, figures @ ..] = text::row(design);
                        tr {
                            th scope="row" { (name) }
                            @for figure in figures { td { (figure) } }
                        }
                    }
                }
            }
        }
    }
}

fn loads(designs: &[RankedDesign]) -> Markup {
    html! {
        p { "Each bar is a tablet, in order; the fullest is outlined. The dashed line is the mean." }
        div.pictures {
            @for design in designs {
                @if let Some(load) = &design.load {
                    figure {
                        figcaption {
                            strong.name { (design.label()) } ": " (text::verdict(design.suitability))
                            br;
                            span.small { "Fullest: " (format!("{:.2}", load.largest_over_mean)) " times the mean" }
                        }
                        (bars(design.label(), load))
                    }
                }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for a person to look at")]
fn bars(label: &str, load: &LoadForecast) -> Markup {
    let per_bar = load.keys.len().div_ceil(MAX_BARS).max(1);
    let bars: Vec<u64> =
        load.keys.chunks(per_bar).filter_map(|bar| bar.iter().max().copied()).collect();
    let most = bars.iter().max().copied().unwrap_or(0);
    let fullest = bars.iter().position(|keys| *keys == most);
    let height = |keys: u64| HEIGHT * keys as f64 / most.max(1) as f64;
    let mean = HEIGHT - HEIGHT / load.largest_over_mean.max(1.0);
    html! {
        svg viewBox=(format!("0 0 {} {HEIGHT}", bars.len())) preserveAspectRatio="none" role="img"
            aria-label=(format!("Load per tablet of {label}")) {
            @for (place, keys) in bars.iter().enumerate() {
                @let class = if Some(place) == fullest { "bar fullest" } else { "bar" };
                rect class=(class) x=(format!("{place}.1")) width="0.8"
                    y=(format!("{:.1}", HEIGHT - height(*keys))) height=(format!("{:.1}", height(*keys))) {}
            }
            line.mean x1="0" x2=(bars.len()) y1=(format!("{mean:.1}")) y2=(format!("{mean:.1}")) {}
        }
    }
}

fn heat_map(profile: &KeyProfile) -> Markup {
    let arrival = match profile.order.arrivals {
        Arrivals::Unordered => "Order of reading (the arrival is unknown)",
        Arrivals::AsWritten => "Arrival",
    };
    html! {
        p {
            "A diagonal: new keys go to one place. A vertical stripe: keys always arrive there. An even shade: random order."
        }
        figure.map {
            figcaption { (arrival) ", the first on top, against the place of the key, in order of keys" }
            (cells(&profile.heat_map))
            p.legend-title { "Keys of a cell, times an even spread" }
            ul.legend {
                @for (level, least) in LEVELS.iter().enumerate() {
                    li {
                        span class=(format!("key level-{level}")) aria-hidden="true" {}
                        span { "from " (least) "\u{d7}" }
                    }
                }
            }
        }
    }
}

/// Draws a path for each level: neighbors with one level in a row are one piece.
#[expect(clippy::cast_precision_loss, reason = "a scale for a picture")]
fn cells(map: &HeatMap) -> Markup {
    let mut paths = LEVELS.map(|_| String::new());
    let keys: u64 = map.slices.iter().flatten().map(|keys| u64::from(*keys)).sum();
    // The number of keys in a cell if the keys were spread evenly.
    let expected = keys as f64 / (map.buckets * map.slices.len()).max(1) as f64;
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
        let levels = [0, 1, 4, 15, 16, 64, 256].map(|keys| level(keys, 1.0));
        let expected = [None, Some(0), Some(1), Some(1), Some(2), Some(3), Some(4)];
        assert_eq!(levels, expected);
    }

    #[test]
    fn draws_neighbors_of_one_level_as_one_piece() {
        let mut map = HeatMap::default();
        map.buckets = 4;
        map.slices = vec![vec![1, 1, 0, 9], vec![0; 4]];
        let drawn = cells(&map).into_string();
        assert!(drawn.contains(r#"d="M0 0h2v1h-2z""#) && drawn.contains("M3 0h1v1h-1z"), "{drawn}");
    }
}
