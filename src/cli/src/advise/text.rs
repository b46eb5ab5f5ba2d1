//! The text of a report: for the terminal, and for the page.

use comfy_table::{CellAlignment, Table, presets};
use fluo_advisor::{AdvisorReport, Decision, RankedDesign, Suitability};
use fluo_keys::ScanCost;
use fluo_table::Grouped;

use super::answer::Answer;
use super::faults::fault;
use super::figures::{figures, percent};
use crate::output;
use crate::text::{count_of, plural};

/// The maximum number of printed lines of a spec.
const SPEC_LINES: usize = 100;

/// The names of the columns of [`row`].
pub(super) const HEADER: [&str; 8] = [
    "design",
    "verdict",
    "tablets",
    "fullest / mean",
    "newest in one",
    "bytes added",
    "prefix scan",
    "against it",
];
/// The columns of [`row`] with figures.
pub(super) const FIGURES: std::ops::Range<usize> = 2..7;

/// Returns the lines to print.
pub(super) fn lines(answer: &Answer) -> String {
    let report = &answer.report;
    let mut lines = format!("Keys of {}\n\n", answer.source);
    let figures = figures(answer);
    let width = figures.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or_default();
    for (name, figure) in figures {
        lines.push_str(&format!(" {name:width$}  {figure}\n"));
    }
    lines.push_str("\nDesigns\n\n");
    for line in designs(report).lines() {
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines.push_str(&format!("\n{}\n", decision(report)));
    if let Some(spec) = &answer.spec {
        lines.push_str("\nSpec file\n\n");
        for line in spec.lines().take(SPEC_LINES) {
            lines.push_str(format!("  {line}").trim_end());
            lines.push('\n');
        }
        let more = spec.lines().count().saturating_sub(SPEC_LINES);
        if more > 0 {
            let more = plural(count_of(more), "line");
            lines.push_str(&format!(
                "  .. and {more} more, which --write-spec writes\n"
            ));
        }
        lines.push_str(&format!("\n{}", answer.next));
    }
    lines.trim_end().to_owned()
}

fn designs(report: &AdvisorReport) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    for design in &report.designs {
        table.add_row(row(design).map(|text| output::shown(&text)));
    }
    for (place, column) in table.column_iter_mut().enumerate() {
        if FIGURES.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// Returns the row of a design in the ranked table.
pub(super) fn row(design: &RankedDesign) -> [String; 8] {
    let forecast = &design.forecast;
    let dash = || "-".to_owned();
    let load = forecast.load.as_ref();
    let prefix = forecast.scans.as_ref().map(|scans| &scans.by_prefix);
    let newest = load.and_then(|load| load.newest_in_one);
    [
        design.label().to_owned(),
        verdict(design.suitability).to_owned(),
        load.map_or_else(dash, |load| Grouped(load.tablets()).to_string()),
        load.map_or_else(dash, |load| format!("{:.2}", load.largest_over_mean)),
        newest.map_or_else(dash, percent),
        load.map_or_else(dash, |load| format!("{:.1}", load.added_bytes)),
        match prefix {
            Some(ScanCost::SingleRange) => "1 range".to_owned(),
            Some(ScanCost::FanOut { ranges }) => plural(*ranges, "range"),
            Some(ScanCost::Limited { .. }) => "some only".to_owned(),
            Some(_) => "unsupported".to_owned(),
            None => dash(),
        },
        against(design),
    ]
}

pub(super) fn verdict(suitability: Suitability) -> &'static str {
    match suitability {
        Suitability::Recommended => "recommended",
        Suitability::Suitable => "suitable",
        Suitability::TooFewTablets => "too few tablets",
        Suitability::Uneven => "uneven",
        Suitability::Unreadable => "reads unsupported",
        _ => "impossible",
    }
}

/// Returns the most telling fault of a design, or else the keys that it rejects.
fn against(design: &RankedDesign) -> String {
    match (design.faults.first(), &design.forecast.rejected) {
        (Some(first), _) => fault(first),
        (None, Some(rejected)) => {
            format!(
                "no key for {}: {}",
                plural(rejected.keys, "key"),
                rejected.reason
            )
        }
        (None, None) => String::new(),
    }
}

/// Returns the decision as a sentence.
pub(super) fn decision(report: &AdvisorReport) -> String {
    let advised = report.advised();
    let names: Vec<_> = advised.iter().map(RankedDesign::label).collect();
    let names = names.join(" and ");
    let tablets = plural(report.tablets.into(), "tablet");
    let uneven = advised.iter().flat_map(|design| &design.faults);
    let uneven = uneven.map(fault).next().unwrap_or_default();
    let sentence = match report.decision {
        Decision::HasDesign => {
            format!("Keep {names} in {tablets}: the keys are hashed or salted already.")
        }
        Decision::HasUnevenDesign => format!("Keep {names} in {tablets}, although {uneven}."),
        Decision::MostlyPlain => {
            format!("The table is split for {names}, but most rows have no known design.")
        }
        Decision::Plain => {
            format!("Leave the table as it is: its rows are spread over {tablets}.")
        }
        Decision::NewSplits => {
            format!("Leave the keys as they are, in {tablets} with split points from the sample.")
        }
        Decision::NewDesign => format!("Use {names} in {tablets}."),
        Decision::LeastBad => {
            format!("No design spreads these keys well. The least bad is {names}: {uneven}.")
        }
        _ => "No design can be advised for these keys and reads.".to_owned(),
    };
    match (&report.spec, report.decision) {
        (None, Decision::HasDesign | Decision::HasUnevenDesign | Decision::MostlyPlain) => format!(
            "{sentence} There is no spec: the balancer's pattern has groups of other recipes."
        ),
        _ => sentence,
    }
}
