//! The text of a verdict.

use anyhow::Result;
use comfy_table::Table;
use fluo_keys::{Difference, Load, LoadStanding, Place, RowsVerdict, Unproved, Verdict};
use fluo_table::Grouped;
use serde::Serialize;

use super::origin::Origin;
use crate::output::{self, shown};
use crate::text::{count_of, plural};

/// Prints a verdict: the first difference, the figures, all differences, the result.
pub(crate) fn describe(verdict: &Verdict, origin: Origin) -> Result<()> {
    if !verdict.ok {
        output::print(&shown(&verdict.to_string()))?;
        output::print("")?;
    }
    describe_splits(verdict)?;
    describe_properties(verdict)?;
    describe_groups(verdict)?;
    describe_rows(verdict)?;
    describe_loads(verdict)?;
    for difference in &verdict.differences {
        let remedy = remedy(difference);
        output::print(&shown(&format!("  ! {difference}{remedy}")))?;
    }
    let (table, differences) = (&verdict.table, verdict.differences.len());
    if verdict.ok {
        let unproved = reservation(verdict.unproved.as_ref());
        let unproved = unproved.map_or_else(String::new, |text| format!("; {text}"));
        let as_asked = origin.as_asked();
        output::print(&shown(&format!(
            "OK: table {table} is {as_asked}{unproved}."
        )))
    } else {
        let differences = plural(count_of(differences), "difference");
        output::print(&format!("NOT OK: {differences} on table {table}."))
    }
}

/// A difference with its sentence, for JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ToldDifference {
    #[serde(flatten)]
    difference: Difference,
    pub(super) sentence: String,
}

impl From<&Difference> for ToldDifference {
    fn from(difference: &Difference) -> Self {
        Self {
            difference: difference.clone(),
            sentence: difference.to_string(),
        }
    }
}

/// Prints a verdict as JSON, with the sentence of each difference.
pub(super) fn print_json(verdict: &Verdict) -> Result<()> {
    let mut json = serde_json::to_value(verdict)?;
    let differences = verdict.differences.iter().map(ToldDifference::from);
    let differences = serde_json::to_value(differences.collect::<Vec<_>>())?;
    json.as_object_mut()
        .map(|fields| fields.insert("differences".to_owned(), differences));
    output::print_json(&json)
}

/// Returns the reason why evenness is not proved, as a clause, if it is not.
pub(super) fn reservation(unproved: Option<&Unproved>) -> Option<String> {
    unproved.map(|reason| format!("{reason}, so evenness is not proved"))
}

/// Returns the option that leaves a difference out, as the end of its sentence.
fn remedy(difference: &Difference) -> &'static str {
    match difference {
        Difference::RowsDenied { .. } => "; --rows skip leaves them out",
        _ => "",
    }
}

fn describe_splits(verdict: &Verdict) -> Result<()> {
    output::print(&format!(
        "split points  {} wanted, {} missing, {} extra",
        Grouped(count_of(verdict.wanted_splits)),
        Grouped(count_of(verdict.missing_splits.len())),
        Grouped(count_of(verdict.extra_splits.len())),
    ))
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
    output::print(&format!("balancer      {standing}"))?;
    verdict.properties.iter().try_for_each(|property| {
        let sign = if property.is_as_expected { "=" } else { "!" };
        let found = property.found.as_deref().unwrap_or("(not set)");
        let line = format!("              {sign} {} = {found}", property.name);
        output::print(&shown(&line))
    })
}

fn describe_groups(verdict: &Verdict) -> Result<()> {
    let mut table = columns([
        "group",
        "tablets",
        "least",
        "mean",
        "largest",
        "on a server",
    ]);
    for group in &verdict.groups {
        table.add_row([
            group.group.escape_debug().to_string(),
            group.tablets.to_string(),
            group.least.to_string(),
            format!("{:.1}", group.mean),
            group.largest.to_string(),
            if group.is_spread() {
                "spread"
            } else {
                "not spread"
            }
            .to_owned(),
        ]);
    }
    output::print(&format!("\n{}", table.trim_fmt()))
}

fn describe_rows(verdict: &Verdict) -> Result<()> {
    let mut table = columns([
        "recipe",
        unit(verdict),
        "tablets",
        "least",
        "mean",
        "largest",
        "fullest / mean",
        "evenness",
    ]);
    for rows in &verdict.rows {
        table.add_row([
            rows.recipe.escape_debug().to_string(),
            Grouped(rows.load.total).to_string(),
            rows.load.places.to_string(),
            Grouped(rows.least).to_string(),
            format!("{:.1}", rows.load.mean()),
            Grouped(rows.load.largest).to_string(),
            skew(&rows.load),
            evenness(rows),
        ]);
    }
    output::print(&format!("\n{}", table.trim_fmt()))
}

/// Prints the fullest tablet of each recipe that is compared and the fullest server, and their
/// places.
fn describe_loads(verdict: &Verdict) -> Result<()> {
    let mut table = columns([
        "fullest",
        unit(verdict),
        "of",
        "mean",
        "fullest / mean",
        "where",
    ]);
    let mut row = |name: String, load: &Load| {
        table.add_row([
            name,
            Grouped(load.largest).to_string(),
            Grouped(load.total).to_string(),
            format!("{:.1}", load.mean()),
            skew(load),
            load.fullest.as_ref().map_or_else(String::new, place),
        ]);
    };
    let is_compared = |rows: &&RowsVerdict| rows.load.standing != LoadStanding::NotCompared;
    for rows in verdict.rows.iter().filter(is_compared) {
        let name = format!("tablet of {}", rows.recipe.escape_debug());
        row(name, &rows.load);
    }
    row("server".to_owned(), &verdict.servers);
    let lines = table.trim_fmt();
    let lines: Vec<_> = lines.lines().map(shown).collect();
    output::print(&format!("\n{}\n", lines.join("\n")))
}

fn place(place: &Place) -> String {
    match place {
        Place::Tablet { end_row, server } => {
            let end_row = end_row.as_deref().unwrap_or("(end of table)");
            format!("{end_row} on {}", server.as_deref().unwrap_or("no server"))
        }
        Place::Server(server) => server.clone(),
        other => other.to_string(),
    }
}

fn unit(verdict: &Verdict) -> &'static str {
    if verdict.counted { "rows" } else { "entries" }
}

fn skew(load: &Load) -> String {
    let skew = load.skew.map(|skew| format!("{skew:.2}"));
    skew.unwrap_or_else(|| "-".to_owned())
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

fn columns<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header);
    table
}
