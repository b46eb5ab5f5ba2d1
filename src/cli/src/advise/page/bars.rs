//! The load of each tablet, in a picture for each design.

use fluo_advisor::{AdvisorReport, DesignForecast, DesignVerdict, LoadForecast};
use fluo_table::Grouped;
use maud::{Markup, html};

use super::super::text;
use crate::text::{count_of, plural};

/// The maximum number of bars in a picture. Neighbouring tablets share a bar if there are more.
const MOST_BARS: usize = 96;
/// The size of the picture in its own units. It is stretched to the available space, and contains
/// no text.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 400.0;

pub(super) fn section(report: &AdvisorReport) -> Markup {
    let pairs = report.forecasts.iter().zip(&report.advice.verdicts);
    html! {
        section id="load" aria-labelledby="load-title" {
            h2 id="load-title" { "Load per tablet" }
            p {
                "Each bar is a tablet, in the order of the table. The dashed line is the mean; a hatched bar is the fullest. Each \
                 picture has its own scale."
            }
            div.pictures {
                @for (number, (forecast, verdict)) in (1..).zip(pairs) {
                    @if let Some((load, _)) = forecast.possible() {
                        (picture(number, forecast, verdict, load))
                    }
                }
            }
        }
    }
}

/// A bar of neighbouring tablets: the first, the last, and the load of the fullest.
struct Bar {
    first: usize,
    last: usize,
    times_mean: f64,
    is_fullest: bool,
}

fn picture(
    number: usize,
    forecast: &DesignForecast,
    verdict: &DesignVerdict,
    load: &LoadForecast,
) -> Markup {
    let label = &forecast.candidate.label;
    let bars = bars(load);
    let top = top(load.largest_over_mean.value);
    let fullest = format!(
        "Fullest: number {}, {:.2} times the mean",
        Grouped(count_of(load.largest) + 1),
        load.largest_over_mean.value
    );
    let per_bar = bars.first().map_or(1, |bar| bar.last - bar.first + 1);
    html! {
        figure {
            figcaption {
                strong.name { (label) } ": "
                span aria-hidden="true" { (text::sign(verdict.standing)) " " } (verdict.standing.word())
                br;
                span.small { (fullest) }
            }
            p.axis-y { "Keys, times the mean" }
            div.plot {
                div.ticks-y aria-hidden="true" {
                    @for tick in ticks(top) { span { (tick) } }
                }
                (svg(number, label, &bars, top))
                div.ticks-x aria-hidden="true" {
                    span { "1" }
                    @if load.tablets() > 1 { span { (Grouped(count_of(load.tablets()))) } }
                }
            }
            p.axis-x {
                "Tablet, by number"
                @if per_bar > 1 { "; a bar is the fullest of " (per_bar) }
            }
            (table(label, load))
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
    let most = load.keys.iter().copied().max().unwrap_or(0);
    let total: u64 = load.keys.iter().sum();
    let per_bar = load.keys.len().div_ceil(MOST_BARS).max(1);
    let groups = load.keys.chunks(per_bar).enumerate();
    groups
        .map(|(place, group)| {
            let keys = group.iter().copied().max().unwrap_or(0);
            let first = place * per_bar;
            Bar {
                first,
                last: first + group.len() - 1,
                times_mean: times_mean(keys, total, load.keys.len()),
                is_fullest: keys == most && (first..first + group.len()).contains(&load.largest),
            }
        })
        .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "figures for a person to look at"
)]
fn times_mean(keys: u64, total: u64, tablets: usize) -> f64 {
    if total == 0 {
        0.0
    } else {
        keys as f64 * tablets as f64 / total as f64
    }
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

fn table(label: &str, load: &LoadForecast) -> Markup {
    let total: u64 = load.keys.iter().sum();
    html! {
        details {
            summary { "Table" }
            div.scroll tabindex="0" role="region" aria-label=(format!("Load per tablet of {label}")) {
                table {
                    caption { (plural(total, "key")) " of the sample in " (plural(count_of(load.tablets()), "tablet")) }
                    thead {
                        tr {
                            th.figure scope="col" { "tablet" }
                            th.figure scope="col" { "times the mean" }
                        }
                    }
                    tbody {
                        @for bar in bars(load) {
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
