//! The page: one file of HTML with its style and its pictures, and no script.
//!
//! Text in it comes from keys, which are any bytes: they are shown in the escaped form, and `maud` escapes what HTML
//! would read. Words and figures stand beside the pictures as HTML, so that their size does not depend on that of the
//! picture; every picture has a table that says the same.

mod bars;
mod heat_map;
mod keys;

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Told, text};
use crate::output;

const STYLE: &str = include_str!("style.css");

/// The page of an advice.
pub(super) fn page(told: &Told) -> Result<String> {
    let profile = &told.report.profile;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "Key advice: " (told.source) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#advice" { "Skip to the advice" }
                header {
                    h1 { "Keys of " span.source { (told.source) } }
                    p { (output::plural(profile.keys, "key")) ", looked at by " code { "fluo advise" } "." }
                }
                nav aria-label="Contents" {
                    ul {
                        @for (id, title) in SECTIONS {
                            li { a href=(format!("#{id}")) { (title) } }
                        }
                    }
                }
                main {
                    (advice(told))
                    (keys::section(told))
                    (designs(told))
                    (bars::section(&told.report))
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

fn advice(told: &Told) -> Markup {
    let reasons = &told.report.advice.reasons;
    html! {
        section id="advice" aria-labelledby="advice-title" {
            h2 id="advice-title" { "Advice" }
            @if let Some(first) = reasons.first() { p.lead { (first) } }
            ul { @for reason in reasons.iter().skip(1) { li { (reason) } } }
            @if let Some(spec) = &told.spec {
                h3 { "Spec file" }
                pre tabindex="0" role="region" aria-label="Spec file" { code { (spec) } }
                p { (told.next) }
            }
        }
    }
}

fn designs(told: &Told) -> Markup {
    let report = &told.report;
    html! {
        section id="designs" aria-labelledby="designs-title" {
            h2 id="designs-title" { "Designs" }
            p {
                "Fullest / mean: the load of the fullest tablet in times of the mean. Newest in one: which part of the newest \
                 keys one tablet takes. Prefix scan: in how many pieces of the table the rows with a prefix lie."
            }
            div.scroll tabindex="0" role="region" aria-label="Figures of the designs" {
                table {
                    thead {
                        tr {
                            @for (place, name) in text::HEADER.iter().enumerate() {
                                // From the third on they are figures.
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
