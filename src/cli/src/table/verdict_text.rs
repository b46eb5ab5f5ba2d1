//! The text of a verdict.

use anyhow::Result;
use fluo_keys::{Difference, Load, LoadStanding, Place, RowsVerdict, Verdict};
use fluo_table::Grouped;
use serde_json::Value;

use crate::output::{self, shown};
use crate::text::{columns, count_of, plural};

pub(crate) fn describe(verdict: &Verdict) -> Result<()> {
    if !verdict.ok {
        show!("{}\n", shown(&verdict.to_string()))?;
    }
    show!(
        "split points  {} wanted, {} missing, {} extra",
        Grouped(count_of(verdict.wanted_splits)),
        Grouped(count_of(verdict.missing_splits.len())),
        Grouped(count_of(verdict.extra_splits.len())),
    )?;
    describe_properties(verdict)?;
    describe_groups(verdict)?;
    describe_rows(verdict)?;
    for difference in &verdict.differences {
        let remedy = match difference {
            Difference::RowsDenied { .. } => "; --rows skip leaves them out",
            _ => "",
        };
        show!("  ! {}", shown(&format!("{difference}{remedy}")))?;
    }
    if verdict.ok {
        return show!("{}.", shown(&verdict.to_string()));
    }
    let differences = plural(verdict.differences.len(), "difference");
    show!("NOT OK: {differences} on table {}.", shown(&verdict.table))
}

pub(super) fn with_sentence(difference: &Difference) -> Result<Value> {
    let mut json = serde_json::to_value(difference)?;
    output::add(&mut json, "sentence", difference.to_string());
    Ok(json)
}

pub(super) fn all_with_sentences(verdict: &Verdict) -> Result<Value> {
    verdict.differences.iter().map(with_sentence).collect()
}

fn describe_properties(verdict: &Verdict) -> Result<()> {
    let mut properties = verdict.properties.iter();
    let standing = if verdict.properties.is_empty() {
        "any, as no recipe has a group"
    } else if properties.all(|property| property.is_as_expected) {
        "as expected"
    } else {
        "not as expected"
    };
    show!("balancer      {standing}")?;
    verdict.properties.iter().try_for_each(|property| {
        let sign = if property.is_as_expected { "=" } else { "!" };
        let found = property.found.as_deref().unwrap_or("(not set)");
        show!("              {sign} {}", shown(&format!("{} = {found}", property.name)))
    })
}

fn describe_groups(verdict: &Verdict) -> Result<()> {
    let mut table = columns(["group", "tablets", "least", "mean", "largest", "on a server"]);
    for group in &verdict.groups {
        let standing = if group.is_spread() { "spread" } else { "not spread" };
        table.add_row([
            group.group.escape_debug().to_string(),
            group.tablets.to_string(),
            group.least.to_string(),
            format!("{:.1}", group.mean),
            group.largest.to_string(),
            standing.to_owned(),
        ]);
    }
    show!("\n{}", table.trim_fmt())
}

fn describe_rows(verdict: &Verdict) -> Result<()> {
    let unit = if verdict.counted { "rows" } else { "entries" };
    let header =
        ["load of", unit, "places", "least", "mean", "largest", "skew", "fullest", "evenness"];
    let mut table = columns(header);
    for rows in &verdict.rows {
        let recipe = rows.recipe.escape_debug().to_string();
        table.add_row(load_row(recipe, rows.least, &rows.load, evenness(rows)));
    }
    let least = verdict.rows_per_server.values().min().copied().unwrap_or_default();
    table.add_row(load_row("the servers".to_owned(), least, &verdict.servers, String::new()));
    let lines = table.trim_fmt();
    let lines: Vec<_> = lines.lines().map(shown).collect();
    show!("\n{}\n", lines.join("\n"))
}

fn load_row(name: String, least: u64, load: &Load, evenness: String) -> [String; 9] {
    [
        name,
        Grouped(load.total).to_string(),
        load.places.to_string(),
        Grouped(least).to_string(),
        format!("{:.1}", load.mean()),
        Grouped(load.largest).to_string(),
        load.skew.map_or_else(|| "-".to_owned(), |skew| format!("{skew:.2}")),
        match &load.fullest {
            None => "-".to_owned(),
            Some(Place::Server(server)) => server.clone(),
            Some(tablet) => tablet.to_string(),
        },
        evenness,
    ]
}

fn evenness(rows: &RowsVerdict) -> String {
    match (rows.chi_square, rows.load.standing) {
        (Some(test), _) => {
            let p_value = match test.p_value {
                0.001.. => format!("p = {:.3}", test.p_value),
                1e-300.. => format!("p = {:.1e}", test.p_value),
                _ => "p below 1e-300".to_owned(),
            };
            format!("chi-square {:.1}, {p_value}", test.statistic)
        }
        (_, LoadStanding::NotCompared) => "not compared".to_owned(),
        _ if !rows.load.counted => "rows were not counted".to_owned(),
        (_, LoadStanding::TooFewToTell) => "too few rows to tell".to_owned(),
        _ => "not tested".to_owned(),
    }
}
