//! The page: one HTML file with its style and its pictures, without scripts.
//!
//! Keys can contain any bytes. The page shows them in the escaped form, and `maud` escapes the
//! characters of HTML. Pictures have no size of their own: places in them are per cent, so that
//! words and lines keep theirs at any width.

use std::env;
use std::fmt::Write;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, ensure};
use fluo_advisor::{Fault, LoadForecast, RankedDesign, Suitability};
use fluo_keys::DesignSettings;
use fluo_keys::number::float;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use memchr::memmem;

use super::bars::{ALARM, MAX_BARS, TOP, bars, times};
use super::figures::{self, Answer, percent};
use super::heat_map::heat_map;
use super::shown_spec::shown_spec;
use super::text;
use crate::atomic_file;

const STYLE: &str = include_str!("style.css");
/// The start of the title, which tells the page from other ones.
const TITLE: &[u8] = b"<title>Key advice: ";
const SECTIONS: [(&str, &str); 4] =
    [("advice", "Advice"), ("designs", "Designs"), ("load", "Load per tablet"), ("keys", "Keys")];

/// Fails if a file is not a page.
pub(super) fn check(path: &Path) -> Result<()> {
    let bytes = atomic_file::read(path)?;
    let is_page = bytes.starts_with(DOCTYPE.0.as_bytes()) && memmem::find(&bytes, TITLE).is_some();
    ensure!(is_page, "`fluo advise` did not write it");
    Ok(())
}

pub(super) fn page(answer: &Answer) -> String {
    let report = &answer.report;
    let bodies = [first_screen(answer), designs(answer), loads(&report.designs), keys(answer)];
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
                // The pattern of alarms, in all pictures.
                svg.hatch width="0" height="0" aria-hidden="true" {
                    pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" {
                        rect width="6" height="6" {}
                        path d="M0 6L6 0" {}
                    }
                }
                main {
                    @for ((id, title), body) in SECTIONS.iter().zip(bodies) {
                        section id=(id) aria-labelledby=(format!("{id}-title")) {
                            h2 id=(format!("{id}-title")) {
                                @if *id == "advice" { (text::decision(report)) } @else { (title) }
                            }
                            (body)
                        }
                    }
                }
                footer {
                    p {
                        "Made on " (humantime::format_rfc3339_seconds(SystemTime::now()))
                        " by fluo " (env!("CARGO_PKG_VERSION")) ": " code { (command_line()) }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// Returns the command as a shell reads it. It contains no secret: no argument takes a password.
fn command_line() -> String {
    let mut line = "fluo".to_owned();
    for argument in env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=@+%".contains(c);
        // Writing to a string does not fail.
        let _ = match argument.chars().all(is_plain) && !argument.is_empty() {
            true => write!(line, " {argument}"),
            false => write!(line, " '{}'", argument.replace('\'', r"'\''")),
        };
    }
    line
}

/// The figure that shows a fault of a design: the share of the newest keys in one tablet, or the
/// fullest tablet over the mean.
struct Figure {
    over_mean: f64,
    shown: String,
    of: &'static str,
}

impl Figure {
    /// Returns the figure that shows this fault, for a design with or without it. `None` if there
    /// is none, as for an unknown place. Shares are only comparable for equal numbers of tablets.
    fn new(design: &RankedDesign, fault: Option<&Fault>, same_tablets: bool) -> Option<Self> {
        let load = design.load.as_ref()?;
        if let Some(Fault::NewestTogether { .. }) = fault {
            let share = load.newest_in_one?;
            let over_mean = share * float(load.tablets());
            let (shown, of) = if same_tablets {
                (percent(share), "of the newest keys go to one tablet")
            } else {
                (times(over_mean), "the mean of the newest keys, in the fullest tablet")
            };
            return Some(Self { over_mean, shown, of });
        }
        let over_mean = load.largest_over_mean;
        let is_shown =
            |fault| is_of_all_keys(fault) || matches!(fault, Fault::TooFewTablets { .. });
        fault.is_none_or(is_shown).then(|| Self {
            over_mean,
            shown: times(over_mean),
            of: "the mean load, in the fullest tablet",
        })
    }

    /// Returns the figures of the main fault of the first design, in both. `None` if the second is
    /// no improvement.
    fn pair(before: &RankedDesign, after: &RankedDesign) -> Option<[Self; 2]> {
        if !is_overloaded(before) || after.suitability != Suitability::Recommended {
            return None;
        }
        let tablets = [before, after].map(|design| design.load.as_ref().map(LoadForecast::tablets));
        let new = |design| Self::new(design, before.faults.first(), tablets[0] == tablets[1]);
        let [before, after] = [new(before)?, new(after)?];
        (after.over_mean < before.over_mean).then_some([before, after])
    }
}

fn is_overloaded(design: &RankedDesign) -> bool {
    matches!(design.suitability, Suitability::HotEnd | Suitability::Uneven)
}

fn is_of_all_keys(fault: &Fault) -> bool {
    matches!(fault, Fault::FullTablet { .. } | Fault::FewSalts { .. } | Fault::HeavyPart { .. })
}

/// The unsalted keys beside the advised design that improves them, and the spec file.
fn first_screen(answer: &Answer) -> Markup {
    let advised = answer.report.advised();
    let mut others = answer.report.designs.iter().skip(advised.len());
    let is_unsalted =
        |design: &&RankedDesign| matches!(design.candidate.settings, DesignSettings::Unsalted(_));
    let unsalted = others.find(|design| is_unsalted(design) && design.load.is_some());
    let pair = unsalted.zip(advised.first());
    let figures = pair.and_then(|(before, after)| Figure::pair(before, after));
    let shown = match pair.zip(figures) {
        Some(((before, after), [first, second])) => {
            vec![("Before: ", before, Some(first)), ("After: ", after, Some(second))]
        }
        None => {
            let alone = unsalted.filter(|_| advised.is_empty());
            let own = |design| ("", design, Figure::new(design, design.faults.first(), true));
            advised.iter().chain(alone).take(2).map(own).collect()
        }
    };
    html! {
        div.first {
            @for (when, design, figure) in &shown {
                @if let Some(load) = &design.load { (picture(design, load, when, figure.as_ref())) }
            }
            @if answer.report.spec.is_some() {
                div.spec {
                    h3 { "Spec file" }
                    @if let Some(spec) = shown_spec(answer) {
                        pre tabindex="0" role="region" aria-label="Spec file" { code { (spec) } }
                    }
                    p { (answer.next) }
                }
            }
        }
        p.small {
            "Each bar is a tablet in order, or the mean of neighbors. Dashed: the mean of all. Top: " (TOP) " times it."
        }
    }
}

fn designs(answer: &Answer) -> Markup {
    let advised = answer.report.advised().len();
    html! {
        p {
            "The best first. Fullest / mean: the fullest tablet over the mean. Newest in one: the largest share of "
            "the newest keys in one tablet. Prefix scan: the ranges of the table with the rows of a prefix."
        }
        table.designs role="table" {
            thead {
                tr role="row" { @for name in text::HEADER { th scope="col" role="columnheader" { (name.text()) } } }
            }
            tbody {
                @for (rank, design) in answer.report.designs.iter().enumerate() {
                    @let [name, _, figures @ ..] = text::row(design);
                    @let is_advised = rank < advised;
                    @let is_few = design.suitability == Suitability::TooFewTablets;
                    @let is_good = design.suitability == Suitability::Recommended;
                    tr.advised[is_advised].scarce[is_advised && is_few].faulty[is_advised && !is_few && !is_good]
                        role="row" {
                        th scope="row" role="rowheader" { (name) }
                        td role="cell" { (marked(design.suitability)) }
                        @for (heading, figure) in text::HEADER.iter().skip(2).zip(figures) {
                            td role="cell" data-label=(heading.text()) { (figure) }
                        }
                    }
                }
            }
        }
    }
}

fn marked(suitability: Suitability) -> Markup {
    let (class, sign) = match suitability {
        Suitability::Recommended => ("good", "✓"),
        Suitability::Suitable => ("", "✓"),
        Suitability::TooFewTablets => ("few", "△"),
        _ => ("bad", "✗"),
    };
    html! { span class=(class) { (sign) " " (text::suitability(suitability)) } }
}

fn loads(designs: &[RankedDesign]) -> Markup {
    html! {
        p {
            "Each bar is a tablet, in order. Dashed: the mean. All pictures end at " (TOP) " times the mean, where "
            "longer bars are cut off. Of more than " (MAX_BARS) " tablets, each bar is the mean of neighbors, and its "
            "line extends from the emptiest to the fullest. Orange bars are too full."
        }
        div.pictures {
            @for design in designs {
                @if let Some(load) = &design.load { (picture(design, load, "", None)) }
            }
        }
    }
}

/// Draws the load of all keys, and below it that of the newest.
fn picture(
    design: &RankedDesign,
    load: &LoadForecast,
    when: &str,
    figure: Option<&Figure>,
) -> Markup {
    let suitability = design.suitability;
    let is_overloaded = is_overloaded(design);
    let has = |is: fn(&Fault) -> bool| is_overloaded && design.faults.iter().any(is);
    let is_newest = |fault: &Fault| matches!(fault, Fault::NewestTogether { .. });
    let class = |over_mean: f64| match suitability {
        _ if is_overloaded => "bad",
        Suitability::Recommended if over_mean <= ALARM => "good",
        _ => "",
    };
    html! {
        figure {
            figcaption {
                (when) strong { (design.label()) } " " (marked(suitability)) br;
                span.small { (text::against(design)) }
            }
            @if let Some(Figure { over_mean, shown, of }) = figure {
                p.large { strong class=(class(*over_mean)) { (shown) } " " (of) }
            }
            (bars("all keys", design.label(), &load.keys, has(is_of_all_keys)))
            @match &load.newest_keys {
                Some(newest) => (bars("newest 5 %", design.label(), newest, has(is_newest))),
                None => p.small { "newest keys: unknown" },
            }
        }
    }
}

fn keys(answer: &Answer) -> Markup {
    let profile = &answer.report.profile;
    html! {
        div.keys {
            table {
                tbody {
                    @for (name, figure) in figures::figures(answer) {
                        tr { th scope="row" { (name) } td.key { (figure) } }
                    }
                }
            }
            (heat_map(profile))
        }
    }
}
