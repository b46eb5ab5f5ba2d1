//! The page: one HTML file with its style and its pictures, without scripts.
//!
//! Keys can contain any bytes. The page shows them in the escaped form, and `maud` escapes the
//! characters of HTML. Words and figures are HTML beside the pictures, so their size does not
//! depend on the size of a picture. Each picture has a table with the same figures.

mod bars;
mod heat_map;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::answer::Answer;
use super::{figures, text};

const STYLE: &str = include_str!("style.css");
/// The sections: their ids and titles.
const SECTIONS: [(&str, &str); 5] = [
    ("advice", "Advice"),
    ("keys", "Keys"),
    ("designs", "Designs"),
    ("load", "Load per tablet"),
    ("map", "Heat map"),
];

/// Returns the page of an answer.
pub(super) fn page(answer: &Answer) -> String {
    let report = &answer.report;
    let bodies = [
        advice(answer),
        keys(answer),
        designs(answer),
        bars::pictures(&report.designs),
        heat_map::picture(&report.profile),
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

fn designs(answer: &Answer) -> Markup {
    html! {
        p {
            "The best first. Fullest / mean: the load of the fullest tablet over the mean. Newest in one: the largest share of "
            "the newest keys in one tablet. Prefix scan: the ranges of the table that hold the rows with a prefix."
        }
        div.scroll tabindex="0" role="region" aria-label="Figures of the designs" {
            table {
                thead {
                    tr {
                        @for (place, name) in text::HEADER.iter().enumerate() {
                            th.figure[text::FIGURES.contains(&place)] scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for design in &answer.report.designs {
                        tr {
                            @for (place, cell) in text::row(design).iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } }
                                @else { td.figure[text::FIGURES.contains(&place)] { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
