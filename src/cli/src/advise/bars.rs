//! The bars of a design: a picture of the load of each tablet.

use std::fmt::Write;

use fluo_keys::number::{float, float_len};
use maud::{Markup, html};

/// The maximum number of bars in a picture. Neighboring tablets share a bar if there are more.
pub(super) const MAX_BARS: usize = 48;
/// The load at the top of all pictures, over the mean. A longer bar is cut off.
pub(super) const TOP: f64 = 4.0;
/// The load over the mean from which a bar at fault has the color of an alarm.
pub(super) const ALARM: f64 = 1.5;

/// Neighboring tablets, or one: the keys over the mean of all tablets.
struct Bar {
    least: f64,
    mean: f64,
    most: f64,
}

/// Draws a bar for each tablet; `is_bad`, a fault of the design in these keys, gives those that are
/// too full the color of an alarm.
pub(super) fn bars(keys: &str, label: &str, loads: &[u64], is_bad: bool) -> Markup {
    let mean = (float(loads.iter().sum()) / float_len(loads.len().max(1))).max(f64::MIN_POSITIVE);
    let per_bar = loads.len().div_ceil(MAX_BARS).max(1);
    let bar = |tablets: &[u64]| Bar {
        least: float(tablets.iter().copied().min().unwrap_or(0)) / mean,
        mean: float(tablets.iter().sum()) / float_len(tablets.len()) / mean,
        most: float(tablets.iter().copied().max().unwrap_or(0)) / mean,
    };
    let bars: Vec<_> = loads.chunks(per_bar).map(bar).collect();
    let most = bars.iter().map(|bar| bar.most).fold(0.0, f64::max);
    let fullest = bars.iter().position(|bar| bar.most >= most).unwrap_or(0);
    let is_alarm =
        |place, bar: &Bar| is_bad && (bar.mean >= ALARM || bar.most >= ALARM && place == fullest);
    let from_top = |load: f64| 100.0 - 100.0 * load.min(TOP) / TOP;
    let (mut drawn, mut extremes) = (String::new(), String::new());
    for (place, bar) in bars.iter().enumerate() {
        let _ = write!(drawn, "M{place}.1 {:.1}V100h.8V{0:.1}z", from_top(bar.mean));
        if per_bar > 1 {
            let (most, least) = (from_top(bar.most), from_top(bar.least));
            let _ = write!(extremes, "M{place}.5 {most:.1}V{least:.1}");
        }
    }
    let percent = |part: f64| format!("{part:.1}%");
    let width = 100.0 / float_len(bars.len().max(1));
    let start = float_len(fullest) * width;
    // The figure is beside its bar, on the side with more room.
    let (at, anchor) =
        if start < 50.0 { (start + width + 1.0, "start") } else { (start - 1.0, "end") };
    html! {
        p.series { (keys) ": fullest " (times(most)) " the mean" }
        svg.newest[keys != "all keys"] role="img" aria-label=(format!("Load per tablet of {label}, {keys}")) {
            svg viewBox=(format!("0 0 {} 100", bars.len())) preserveAspectRatio="none" { path d=(drawn) {} }
            @for (place, bar) in bars.iter().enumerate().filter(|(place, bar)| is_alarm(*place, bar)) {
                @let y = from_top(bar.mean);
                rect.alarm x=(percent((float_len(place) + 0.1) * width)) width=(percent(0.8 * width))
                    y=(percent(y)) height=(percent(100.0 - y)) {}
            }
            svg viewBox=(format!("0 0 {} 100", bars.len())) preserveAspectRatio="none" {
                path.lines d=(extremes) {}
                path.mean d=(format!("M0 {:.1}H{}", from_top(1.0), bars.len())) {}
            }
            @if most > TOP || bars.get(fullest).is_some_and(|bar| is_alarm(fullest, bar)) {
                text x=(percent(at)) y=(percent(from_top(most))) dy="1em" text-anchor=(anchor) {
                    @if most > TOP { "↑ " } (times(most))
                }
            }
        }
    }
}

pub(super) fn times(over_mean: f64) -> String {
    format!("{over_mean:.2}×")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 96 tablets are 48 bars of two. The mean is 2, so the first bar is 1.5 times the
    /// mean, from 1 to 2.
    #[test]
    fn many_tablets_are_means_with_lines_to_their_extremes() {
        let loads: Vec<u64> =
            [2, 4].into_iter().chain(std::iter::repeat_n([1, 3], 47).flatten()).collect();
        let drawn = bars("all keys", "x", &loads, false).into_string();
        assert_eq!(drawn.matches("V100h").count(), 48);
        assert!(drawn.contains("fullest 1.98× the mean"), "{drawn}");
        assert!(drawn.contains("M0.5 50.5V75.3"), "{drawn}");
    }

    #[test]
    fn only_a_bad_design_has_an_alarm() {
        let drawn = |loads: &[u64], is_bad| bars("all keys", "x", loads, is_bad).into_string();
        assert!(drawn(&[1, 9, 1], true).contains("class=\"alarm\""));
        assert!(!drawn(&[1, 9, 1], false).contains("alarm"));
        assert!(!drawn(&[5, 6, 5], true).contains("alarm"));
        let cut = drawn(&[0, 0, 0, 0, 0, 9], false);
        assert!(cut.contains("↑ 6.00×") && !drawn(&[1, 1], false).contains("<text"), "{cut}");
    }
}
