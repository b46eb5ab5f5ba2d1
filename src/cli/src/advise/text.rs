//! The text of a report: for the terminal, and for the page.

use fluo_advisor::{AdvisorReport, Decision, Fault, RankedDesign, Read, Suitability};
use fluo_keys::ScanCost;
use fluo_table::Grouped;

use super::figures::{Answer, figures, percent, quoted};
use super::shown_spec::shown_spec;
use crate::color::Meaning;
use crate::layout::{Columns, Heading};
use crate::masking::masked_quotes;
use crate::output;
use crate::text::counted;

pub(super) const HEADER: [Heading; 8] = [
    Heading::Left("design"),
    Heading::Left("suitability"),
    Heading::Right("tablets"),
    Heading::Right("fullest / mean"),
    Heading::Right("newest in one"),
    Heading::Right("bytes added"),
    Heading::Right("prefix scan"),
    Heading::Left("against it"),
];

pub(super) fn lines(answer: &Answer) -> String {
    let report = &answer.report;
    let mut lines = format!("Keys of {}\n\n", answer.source);
    let figures = figures(answer);
    let width = figures.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, figure) in figures {
        lines += &format!(" {name:width$}  {figure}\n");
    }
    lines += "\nDesigns\n\n";
    let mut designs = Columns::new(HEADER);
    let advised = report.advised().len();
    for (rank, design) in report.designs.iter().enumerate() {
        let meaning = meaning(design.suitability, rank < advised);
        designs.painted_row(meaning, row(design).map(|text| output::shown(&text)));
    }
    let designs = designs.lines();
    lines += &format!("{designs}\n\n{}\n", decision(report));
    if report.spec.is_some() {
        lines += "\nSpec file\n\n";
        if let Some(spec) = shown_spec(answer) {
            for line in spec.lines() {
                lines += &format!("{}\n", format!("  {line}").trim_end());
            }
            lines.push('\n');
        }
        lines += &answer.next;
    }
    lines.trim_end().to_owned()
}

pub(super) fn row(design: &RankedDesign) -> [String; 8] {
    let dash = || "-".to_owned();
    let load = design.load.as_ref();
    let prefix = design.scans.as_ref().map(|scans| &scans.by_prefix);
    let newest = load.and_then(|load| load.newest_in_one);
    [
        design.label().to_owned(),
        suitability(design.suitability).to_owned(),
        load.map_or_else(dash, |load| Grouped(load.tablets()).to_string()),
        load.map_or_else(dash, |load| format!("{:.2}", load.largest_over_mean)),
        newest.map_or_else(dash, percent),
        load.map_or_else(dash, |load| format!("{:.1}", load.added_bytes)),
        match prefix {
            Some(ScanCost::SingleRange) => "1 range".to_owned(),
            Some(ScanCost::FanOut { ranges }) => counted(*ranges, "range"),
            Some(ScanCost::Limited { .. }) => "some only".to_owned(),
            Some(_) => "unsupported".to_owned(),
            None => dash(),
        },
        against(design),
    ]
}

/// Returns the color of a design. One that is advised in spite of its faults is a notice.
fn meaning(suitability: Suitability, is_advised: bool) -> Option<Meaning> {
    match suitability {
        Suitability::Recommended => Some(Meaning::Good),
        _ if is_advised => Some(Meaning::Notice),
        Suitability::Suitable => None,
        _ => Some(Meaning::Faint),
    }
}

pub(super) fn suitability(suitability: Suitability) -> &'static str {
    match suitability {
        Suitability::Recommended => "recommended",
        Suitability::Suitable => "suitable",
        Suitability::TooFewTablets => "too few tablets",
        Suitability::HotEnd => "hot end",
        Suitability::Uneven => "uneven",
        Suitability::Unreadable => "reads unsupported",
        _ => "impossible",
    }
}

/// Returns the most telling fault of a design, and the keys that it rejects.
pub(super) fn against(design: &RankedDesign) -> String {
    let first = design.faults.first();
    let is_of_keys = matches!(first, Some(Fault::RejectsKeys { .. }));
    let rejected = design.rejected.as_ref().filter(|_| !is_of_keys);
    let rejected = rejected.map(|rejected| no_key_for(rejected.keys, &rejected.reason));
    first.map(fault).into_iter().chain(rejected).collect::<Vec<_>>().join("; ")
}

fn no_key_for(keys: u64, reason: &str) -> String {
    format!("no key for {}: {}", counted(keys, "key"), masked_quotes(reason))
}

fn fault(fault: &Fault) -> String {
    match fault {
        Fault::Invalid { reason } => masked_quotes(reason),
        Fault::RejectsKeys { keys, reason } => no_key_for(*keys, reason),
        Fault::FewSalts { used, is_of_a_part } => {
            let used = counted(*used, "salt");
            if *is_of_a_part {
                format!("only {used}: keys differ beyond the salted part")
            } else {
                format!("only {used}: the hash does not distinguish these keys")
            }
        }
        Fault::FullTablet { over_mean } => {
            format!("the fullest tablet has {over_mean:.2} times the mean")
        }
        Fault::HeavyPart { part, share } => match part {
            Some(part) => format!("{} has {} of the keys", quoted(part), percent(*share)),
            None => format!("one row has {} of the keys", percent(*share)),
        },
        Fault::UnevenSalts { over_mean } => {
            format!("salts do not divide evenly: {over_mean:.2} times the mean")
        }
        Fault::NewestTogether { share } => {
            format!("{} of the newest keys go to one tablet", percent(*share))
        }
        Fault::RunsTogether { tablets } => {
            format!("keys arrive for {tablets:.1} tablets at a time")
        }
        Fault::UnknownPlace => "new keys may all go to one tablet".to_owned(),
        Fault::RowInPieces { pieces } => {
            let ranges = counted(*pieces, "range");
            format!("one row is read from {ranges}; --scans-only allows it")
        }
        Fault::UnsupportedRead { read, cost } => unsupported(*read, cost.as_ref()),
        Fault::TooFewTablets { tablets, wanted } => {
            format!("{} of {} wanted", counted(*tablets, "tablet"), Grouped(*wanted))
        }
        Fault::TooFewKeys { keys, tablets } => {
            let (keys, tablets) = (counted(*keys, "key"), counted(*tablets, "tablet"));
            format!("{keys} in {tablets}: too few to tell")
        }
        Fault::FewerThanServers { tablets, servers } => {
            format!("{} cannot use {servers} servers", counted(*tablets, "tablet"))
        }
        _ => String::new(),
    }
}

fn unsupported(read: Read, cost: Option<&ScanCost>) -> String {
    let rows = match read {
        Read::Prefix => "a prefix",
        Read::Range => "a range",
        Read::Field => "a leading field",
        _ => "a domain",
    };
    match (cost, read) {
        (Some(ScanCost::Limited { only, .. }), _) => format!("scans only {only}"),
        (None, Read::Domain) => "the keys are not web addresses".to_owned(),
        (None, _) => "the keys have no leading field".to_owned(),
        _ => format!("no scan of {rows}"),
    }
}

pub(super) fn decision(report: &AdvisorReport) -> String {
    let advised = report.advised();
    let names: Vec<_> = advised.iter().map(RankedDesign::label).collect();
    let names = names.join(" and ");
    let tablets = counted(report.tablets, "tablet");
    let is_unproven = |fault: &Fault| matches!(fault, Fault::TooFewKeys { .. });
    let faults = advised.iter().flat_map(|design| &design.faults);
    let (unproven, faults): (Vec<_>, Vec<_>) = faults.partition(|fault| is_unproven(fault));
    let uneven = faults.into_iter().map(fault).next().unwrap_or_default();
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
    let sentence = match unproven.is_empty() || report.decision == Decision::MostlyPlain {
        true => sentence,
        false => format!("{sentence} The keys are too few to tell whether it is even."),
    };
    let sentence = match report.may_be_salted {
        true => format!(
            "{sentence} The keys may be salted already: give their design, or `unsalted`, in --spec."
        ),
        false => sentence,
    };
    match (&report.spec, report.decision) {
        (None, Decision::HasDesign | Decision::HasUnevenDesign | Decision::MostlyPlain) => format!(
            "{sentence} There is no spec: the balancer's pattern has groups of other recipes."
        ),
        _ => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_design_with_a_fault_has_not_the_color_of_a_good_one() {
        assert_eq!(meaning(Suitability::Recommended, true), Some(Meaning::Good));
        assert_eq!(meaning(Suitability::TooFewTablets, true), Some(Meaning::Notice));
        assert_eq!(meaning(Suitability::TooFewTablets, false), Some(Meaning::Faint));
    }
}
