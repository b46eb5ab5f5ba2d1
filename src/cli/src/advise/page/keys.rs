//! The properties of the keys, in sentences and tables.

use fluo_advisor::{Distinct, KeyProfile, Severity};
use fluo_table::{Escaped, Grouped};
use maud::{Markup, html};

use super::super::Answer;

pub(super) fn section(answer: &Answer) -> Markup {
    let profile = &answer.report.profile;
    html! {
        section id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            ul.findings {
                @for note in &answer.notes { li.warning { strong { "Warning: " } (note) } }
                @for finding in &answer.report.advice.findings {
                    @match finding.severity() {
                        Severity::Warning => li.warning { strong { "Warning: " } (finding) },
                        Severity::Note => li { (finding) },
                    }
                }
            }
            div.tables {
                (figures(profile))
                (fields(profile))
                (prefixes(profile))
            }
        }
    }
}

fn figures(profile: &KeyProfile) -> Markup {
    let (lengths, order) = (&profile.lengths, &profile.order);
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let different = match profile.distinct {
        Distinct::Counted { keys } => Grouped(keys).to_string(),
        Distinct::Estimated {
            keys,
            standard_error,
        } => {
            format!("{} +- {}", Grouped(keys), percent(standard_error))
        }
        ref other => Grouped(other.keys()).to_string(),
    };
    let rows = [
        ("Keys", Grouped(profile.keys).to_string()),
        ("Different keys", different),
        ("Shortest, bytes", Grouped(lengths.min).to_string()),
        ("Median, bytes", Grouped(lengths.median).to_string()),
        (
            "90 % up to, bytes",
            Grouped(lengths.percentile_90).to_string(),
        ),
        (
            "99 % up to, bytes",
            Grouped(lengths.percentile_99).to_string(),
        ),
        ("Longest, bytes", Grouped(lengths.max).to_string()),
        ("Alphabet", profile.alphabet.all.name().to_owned()),
        ("Greater than the one before", percent(order.ascending)),
        ("Greater than all before", percent(order.new_maxima)),
        ("Rank correlation", format!("{:.3}", order.rank_correlation)),
    ];
    html! {
        table {
            caption { "Figures" }
            tbody {
                @for (name, figure) in rows {
                    tr { th scope="row" { (name) } td.figure { (figure) } }
                }
            }
        }
    }
}

fn fields(profile: &KeyProfile) -> Markup {
    let hot = profile.leading_fields.hot.iter().take(10);
    let rows = hot.map(|hot| (Escaped(&hot.field).to_string(), hot.share));
    shares("Most frequent leading fields", "field", rows)
}

fn prefixes(profile: &KeyProfile) -> Markup {
    let frequent = profile.prefixes.frequent.iter().take(10);
    let rows = frequent.map(|found| (Escaped(&found.prefix).to_string(), found.share));
    shares("Prefixes of a tenth of the keys or more", "prefix", rows)
}

fn shares(caption: &str, name: &str, rows: impl Iterator<Item = (String, f64)>) -> Markup {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return html! {};
    }
    html! {
        table {
            caption { (caption) }
            thead { tr { th scope="col" { (name) } th.figure scope="col" { "% of keys" } } }
            tbody {
                @for (bytes, share) in rows {
                    tr { th.key scope="row" { code { (bytes) } } td.figure { (format!("{:.1}", share * 100.0)) } }
                }
            }
        }
    }
}
