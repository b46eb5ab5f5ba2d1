//! The load of each tablet, in a picture for each design.

use fluo_advisor::{LoadForecast, RankedDesign};
use fluo_table::Grouped;
use maud::{Markup, html};

use super::super::text;
use crate::text::count_of;

/// The maximum number of bars in a picture. Neighboring tablets share a bar if there are more.
const MOST_BARS: usize = 96;
/// The size of the picture in its own units. It is stretched to the available space, and contains
/// no text.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 400.0;

/// Returns the picture of each design that is possible.
pub(super) fn pictures(designs: &[RankedDesign]) -> Markup {
    let possible = designs
        .iter()
        .filter_map(|design| Some((design, design.forecast.load.as_ref()?)));
    html! {
        p {
            "Each bar is a tablet, in the order of the table. The dashed line is the mean; a hatched bar is the fullest. Each "
            "picture has its own scale."
        }
        div.pictures {
            @for (number, (design, load)) in (1..).zip(possible) { (picture(number, design, load)) }
        }
    }
}

/// A bar of neighboring tablets: the first, the last, and the load of the fullest.
struct Bar {
    first: usize,
    last: usize,
    times_mean: f64,
    is_fullest: bool,
}

fn picture(number: usize, design: &RankedDesign, load: &LoadForecast) -> Markup {
    let bars = bars(load);
    let top = top(load.largest_over_mean);
    let per_bar = bars.first().map_or(1, |bar| bar.last - bar.first + 1);
    html! {
        figure {
            figcaption {
                strong.name { (design.label()) } ": " (text::verdict(design.suitability))
                br;
                span.small { "Fullest: " (format!("{:.2}", load.largest_over_mean)) " times the mean" }
            }
            p.axis-y { "Keys, times the mean" }
            div.plot {
                div.ticks-y aria-hidden="true" { @for tick in ticks(top) { span { (tick) } } }
                (svg(number, design.label(), &bars, top))
                div.ticks-x aria-hidden="true" {
                    span { "1" }
                    @if load.tablets() > 1 { span { (Grouped(load.tablets())) } }
                }
            }
            p.axis-x {
                "Tablet, by number"
                @if per_bar > 1 { "; a bar is the fullest of " (per_bar) }
            }
            (table(design.label(), &bars))
        }
    }
}

fn svg(number: usize, label: &str, bars: &[Bar], top: f64) -> Markup {
    let step = WIDTH / f64::from(u32::try_from(bars.len().max(1)).unwrap_or(u32::MAX));
    let gap = if bars.len() > 1 { step * 0.15 } else { 0.0 };
    let hatch = format!("hatch-{number}");
    let mean = HEIGHT * (1.0 - 1.0 / top);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img"
            aria-label=(format!("Load per tablet of {label}; the table below has the figures")) {
            defs {
                pattern id=(hatch) width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.hatch-ground width="12" height="12" {}
                    rect.hatch-line width="5" height="12" {}
                }
            }
            @for (place, bar) in (0_u32..).zip(bars) {
                @let height = HEIGHT * bar.times_mean / top;
                rect class=(if bar.is_fullest { "bar fullest" } else { "bar" })
                    fill=[bar.is_fullest.then(|| format!("url(#{hatch})"))]
                    x=(coordinate(f64::from(place) * step + gap / 2.0))
                    y=(coordinate(HEIGHT - height))
                    width=(coordinate(step - gap))
                    height=(coordinate(height)) {}
            }
            line.mean x1="0" x2=(WIDTH) y1=(coordinate(mean)) y2=(coordinate(mean)) {}
        }
    }
}

fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

fn bars(load: &LoadForecast) -> Vec<Bar> {
    let most = load.keys.iter().max().copied().unwrap_or(0);
    let per_bar = load.keys.len().div_ceil(MOST_BARS).max(1);
    let groups = load.keys.chunks(per_bar).enumerate();
    let mut bars: Vec<_> = groups
        .map(|(place, group)| {
            let keys = group.iter().max().copied().unwrap_or(0);
            Bar {
                first: place * per_bar,
                last: place * per_bar + group.len() - 1,
                times_mean: times_mean(keys, most, load),
                is_fullest: false,
            }
        })
        .collect();
    let fullest = load.keys.iter().position(|keys| *keys == most);
    if let Some(bar) = fullest.and_then(|fullest| bars.get_mut(fullest / per_bar)) {
        bar.is_fullest = true;
    }
    bars
}

#[expect(
    clippy::cast_precision_loss,
    reason = "figures for a person to look at"
)]
fn times_mean(keys: u64, most: u64, load: &LoadForecast) -> f64 {
    keys as f64 / most.max(1) as f64 * load.largest_over_mean
}

/// Returns the upper end of the scale: 2, or the next of 1, 2, 5 times a power of ten.
fn top(largest: f64) -> f64 {
    let mut power = 1.0;
    loop {
        for digit in [1.0, 2.0, 5.0] {
            let top: f64 = digit * power;
            // The largest figure is the number of tablets, at most 65,536.
            if top >= largest.max(2.0) || top > 1e6 {
                return top;
            }
        }
        power *= 10.0;
    }
}

/// Returns the marks of the scale, from its upper end to zero.
fn ticks(top: f64) -> [String; 3] {
    [top, top / 2.0, 0.0].map(|tick| {
        if tick.fract() == 0.0 {
            format!("{tick:.0}\u{d7}")
        } else {
            format!("{tick:.1}\u{d7}")
        }
    })
}

fn table(label: &str, bars: &[Bar]) -> Markup {
    html! {
        details {
            summary { "Table" }
            div.scroll tabindex="0" role="region" aria-label=(format!("Load per tablet of {label}")) {
                table {
                    thead {
                        tr {
                            th.figure scope="col" { "tablet" }
                            th.figure scope="col" { "times the mean" }
                        }
                    }
                    tbody {
                        @for bar in bars {
                            tr {
                                th.figure scope="row" {
                                    (Grouped(count_of(bar.first) + 1))
                                    @if bar.last > bar.first { " to " (Grouped(count_of(bar.last) + 1)) }
                                }
                                td.figure { (format!("{:.3}", bar.times_mean)) }
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
    fn the_scale_includes_the_fullest_tablet() {
        let tops = [0.0, 1.0, 2.0, 2.1, 7.5, 16.0, 65_536.0].map(top);
        assert_eq!(tops, [2.0, 2.0, 2.0, 5.0, 10.0, 20.0, 100_000.0]);
        assert_eq!(ticks(5.0), ["5\u{d7}", "2.5\u{d7}", "0\u{d7}"]);
    }
}
