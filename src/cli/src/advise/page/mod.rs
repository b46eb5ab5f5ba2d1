//! The page: one HTML file with its style and its pictures, without scripts.
//!
//! Keys can contain any bytes. The page shows them in the escaped form, and `maud` escapes the
//! characters of HTML. Words and figures are HTML beside the pictures, so their size does not
//! depend on the size of a picture. Each picture has a table with the same figures.

mod bars;
mod heat_map;
mod keys;

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Answer, text};
use crate::text::plural;

const STYLE: &str = include_str!("style.css");

/// Returns the page of an answer.
pub(super) fn page(answer: &Answer) -> Result<String> {
    let profile = &answer.report.profile;
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
                header {
                    h1 { "Keys of " span.source { (answer.source) } }
                    p { (plural(profile.keys, "key")) ", examined by " code { "fluo advise" } "." }
                }
                nav aria-label="Contents" {
                    ul {
                        @for (id, title) in SECTIONS {
                            li { a href=(format!("#{id}")) { (title) } }
                        }
                    }
                }
                main {
                    (advice(answer))
                    (keys::section(answer))
                    (designs(answer))
                    (bars::section(&answer.report))
                    (heat_map::section(profile))
                }
                footer { p { "Made by " code { "fluo advise" } " " (env!("CARGO_PKG_VERSION")) ", seed " (profile.sample.seed) "." } }
            }
        }
    };
    Ok(page.into_string())
}

const SECTIONS: [(&str, &str); 5] = [
    ("advice", "Advice"),
    ("keys", "Keys"),
    ("designs", "Designs"),
    ("load", "Load per tablet"),
    ("map", "Heat map"),
];

fn advice(answer: &Answer) -> Markup {
    let reasons = &answer.report.advice.reasons;
    html! {
        section id="advice" aria-labelledby="advice-title" {
            h2 id="advice-title" { "Advice" }
            @if let Some(first) = reasons.first() { p.lead { (first) } }
            ul { @for reason in reasons.iter().skip(1) { li { (reason) } } }
            @if let Some(spec) = &answer.spec {
                h3 { "Spec file" }
                pre tabindex="0" role="region" aria-label="Spec file" { code { (spec) } }
                p { (answer.next) }
            }
        }
    }
}

fn designs(answer: &Answer) -> Markup {
    let report = &answer.report;
    html! {
        section id="designs" aria-labelledby="designs-title" {
            h2 id="designs-title" { "Designs" }
            p {
                "Fullest / mean: the load of the fullest tablet over the mean. Newest in one: the largest share of the newest \
                 keys in one tablet. Prefix scan: the number of pieces of the table that contain the rows with a prefix."
            }
            div.scroll tabindex="0" role="region" aria-label="Figures of the designs" {
                table {
                    thead {
                        tr {
                            @for (place, name) in text::HEADER.iter().enumerate() {
                                // The columns from the third one contain figures.
                                th.figure[place > 1] scope="col" { (name) }
                            }
                        }
                    }
                    tbody {
                        @for (forecast, verdict) in report.forecasts.iter().zip(&report.advice.verdicts) {
                            @let [label, standing, figures @ ..] = text::row(forecast, verdict);
                            tr {
                                th scope="row" { (label) }
                                td.standing { span aria-hidden="true" { (text::sign(verdict.standing)) } " " (standing) }
                                @for figure in figures { td.figure { (figure) } }
                            }
                        }
                    }
                }
            }
            h3 { "Why" }
            @for (forecast, verdict) in report.forecasts.iter().zip(&report.advice.verdicts) {
                details {
                    summary {
                        span.name { (verdict.label) } ": "
                        span aria-hidden="true" { (text::sign(verdict.standing)) " " } (verdict.standing.word())
                    }
                    @if let Some(example) = &forecast.example {
                        p.example { code { (example.row) } " becomes " code { (example.key) } }
                    }
                    ul { @for reason in &verdict.reasons { li { (reason) } } }
                }
            }
        }
    }
}
