//! The advice as text for a terminal.

use comfy_table::{CellAlignment, Table, presets};
use fluo_advisor::{
    DesignForecast, DesignReason, DesignVerdict, LoadForecast, ScanCosts, Severity, Suitability,
};
use fluo_keys::ScanCost;
use fluo_table::Grouped;

use super::Answer;
use crate::output;
use crate::text::{count_of, plural};

/// The maximum number of printed lines of a spec.
const SPEC_LINES: usize = 100;

/// Returns the lines to print.
pub(super) fn lines(answer: &Answer) -> Vec<String> {
    let advice = &answer.report.advice;
    let mut lines = vec![format!("Keys of {}", answer.source), String::new()];
    lines.extend(answer.notes.iter().map(|note| format!("  note     {note}")));
    for finding in &advice.findings {
        let weight = match finding.severity() {
            Severity::Note => "note   ",
            Severity::Warning => "warning",
        };
        lines.push(format!("  {weight}  {finding}"));
    }
    lines.extend([String::new(), "Designs".to_owned(), String::new()]);
    lines.extend(
        designs(answer)
            .lines()
            .map(|line| line.trim_end().to_owned()),
    );
    lines.extend(against(answer));
    lines.extend([String::new(), "Advice".to_owned(), String::new()]);
    lines.extend(advice.reasons.iter().map(|reason| format!("  {reason}")));
    if let Some(spec) = &answer.spec {
        lines.extend([String::new(), "Spec file".to_owned(), String::new()]);
        lines.extend(shown(spec));
        lines.extend([String::new(), answer.next.clone()]);
    }
    lines
}

/// Returns a line for each rejected design, with its reasons. The reasons of the least bad design
/// are in the advice.
fn against(answer: &Answer) -> Vec<String> {
    let advice = &answer.report.advice;
    let all = answer.report.forecasts.iter().zip(&advice.verdicts);
    let others = all.filter(|(_, verdict)| {
        !verdict.against.is_empty() && Some(&verdict.label) != advice.design.as_ref()
    });
    let mut lines: Vec<_> = others
        .map(|(forecast, verdict)| {
            let flag = if is_unreadable_by_row(forecast, verdict) {
                " Then give --scans-only."
            } else {
                ""
            };
            format!("  {}: {}{flag}", verdict.label, sentences(&verdict.against))
        })
        .collect();
    if !lines.is_empty() {
        lines.splice(0..0, [String::new(), "Against".to_owned(), String::new()]);
    }
    lines
}

fn sentences(reasons: &[DesignReason]) -> String {
    let sentences: Vec<_> = reasons.iter().map(ToString::to_string).collect();
    sentences.join(" ")
}

/// Checks whether a design is rejected because the key of a row cannot be computed again.
fn is_unreadable_by_row(forecast: &DesignForecast, verdict: &DesignVerdict) -> bool {
    let scans = forecast.possible().map(|(_, scans)| &scans.by_row);
    verdict.standing == Suitability::Unreadable && matches!(scans, Some(ScanCost::FanOut { .. }))
}

/// Returns the first lines of a spec.
fn shown(spec: &str) -> Vec<String> {
    let all = spec.lines().count();
    let mut lines: Vec<_> = spec
        .lines()
        .take(SPEC_LINES)
        .map(|line| format!("  {line}"))
        .collect();
    if all > SPEC_LINES {
        let more = plural(count_of(all - SPEC_LINES), "line");
        lines.push(format!("  .. and {more} more, which --write-spec writes"));
    }
    lines
}

fn designs(answer: &Answer) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    for (forecast, verdict) in answer
        .report
        .forecasts
        .iter()
        .zip(&answer.report.advice.verdicts)
    {
        table.add_row(row(forecast, verdict).map(|text| output::shown(&text)));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// The names of the columns of [`row`].
pub(super) const HEADER: [&str; 8] = [
    "design",
    "verdict",
    "tablets",
    "fullest / mean",
    "chi-square p",
    "newest in one",
    "bytes added",
    "prefix scan",
];

/// Returns the figures of a design, as texts.
pub(super) fn row(forecast: &DesignForecast, verdict: &DesignVerdict) -> [String; 8] {
    let label = forecast.candidate.label.clone();
    let standing = verdict.standing.word().to_owned();
    let Some((load, scans)) = forecast.possible() else {
        return [
            label,
            standing,
            dash(),
            dash(),
            dash(),
            dash(),
            dash(),
            dash(),
        ];
    };
    [
        label,
        standing,
        Grouped(count_of(load.tablets())).to_string(),
        format!("{:.2}", load.largest_over_mean.value),
        p_value(load),
        load.tail.as_ref().map_or_else(dash, |tail| {
            format!("{:.1} %", tail.busiest_share.value * 100.0)
        }),
        format!("{:.1}", load.added_bytes),
        prefix_scan(scans),
    ]
}

/// Returns the text for a missing figure.
fn dash() -> String {
    "-".to_owned()
}

fn p_value(load: &LoadForecast) -> String {
    match load.chi_square {
        None => dash(),
        Some(test) if test.p_value < 0.000_001 => "< 0.000001".to_owned(),
        Some(test) if test.p_value < 0.0005 => format!("{:.1e}", test.p_value),
        Some(test) => format!("{:.3}", test.p_value),
    }
}

fn prefix_scan(scans: &ScanCosts) -> String {
    match &scans.by_prefix {
        ScanCost::SingleRange => "1 piece".to_owned(),
        ScanCost::FanOut { ranges: pieces } => plural(*pieces, "piece"),
        ScanCost::Limited { .. } => "some only".to_owned(),
        ScanCost::Unsupported { .. } => "impossible".to_owned(),
        _ => dash(),
    }
}

/// Returns a sign for the word of a verdict.
pub(super) fn sign(standing: Suitability) -> &'static str {
    match standing {
        Suitability::Recommended => "\u{2605}",
        Suitability::Suitable => "\u{2713}",
        Suitability::TooFewTablets => "\u{25b3}",
        // Uneven, unreadable, impossible, and all other standings that are no recommendation.
        _ => "\u{2717}",
    }
}
