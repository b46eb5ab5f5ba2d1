//! The text of a verdict.

use anyhow::Result;
use comfy_table::Table;
use fluo_keys::{
    DifferenceKind, FullestTablet, Load, LoadStanding, PropertyVerdict, RowsVerdict, TabletLoad,
    UniformityTest, Verdict,
};
use fluo_table::Grouped;

use super::origin::Origin;
use crate::output::{self, shown};
use crate::text::{count_of, plural};

/// Prints a verdict: the main cause if there are differences or a server is hot, the figures, all
/// differences, the result.
pub(crate) fn describe(verdict: &Verdict, origin: Origin) -> Result<()> {
    if !verdict.ok || verdict.is_hot_by_design() {
        output::print(&shown(&summary(verdict, origin)))?;
        output::print("")?;
    }
    describe_splits(verdict)?;
    describe_properties(verdict)?;
    describe_groups(verdict)?;
    describe_rows(&verdict.rows)?;
    describe_loads(verdict)?;
    for difference in &verdict.differences {
        let remedy = remedy(difference.kind);
        output::print(&shown(&format!("  ! {difference}{remedy}")))?;
    }
    let differences = plural(count_of(verdict.differences.len()), "difference");
    output::print(&match verdict.ok {
        true => shown(&summary(verdict, origin)),
        false => format!("NOT OK: {differences} on table {}.", verdict.table),
    })
}

/// Returns the verdict as a sentence.
fn summary(verdict: &Verdict, origin: Origin) -> String {
    let state = match (origin, verdict.ok, verdict.is_hot_by_design()) {
        (Origin::Spec, ..) | (_, false, _) => return verdict.summary(),
        (_, true, true) => "HOT",
        (_, true, false) => "OK",
    };
    let (table, reservation) = (&verdict.table, verdict.reservation());
    format!(
        "{state}: table {table} is {}{reservation}.",
        origin.as_asked()
    )
}

/// Returns the option that leaves a difference out, as the end of its sentence.
fn remedy(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::RowsDenied => "; --rows skip leaves them out",
        _ => "",
    }
}

fn describe_splits(verdict: &Verdict) -> Result<()> {
    let splits = &verdict.splits;
    output::print(&format!(
        "split points  {} wanted, {} missing, {} extra",
        Grouped(count_of(splits.wanted)),
        Grouped(count_of(splits.missing.len())),
        Grouped(count_of(splits.extra.len())),
    ))
}

fn describe_properties(verdict: &Verdict) -> Result<()> {
    let as_expected = verdict
        .properties
        .iter()
        .all(PropertyVerdict::is_as_expected);
    output::print(&format!(
        "balancer      {}",
        match (as_expected, verdict.properties.is_empty()) {
            (true, true) => "any, as no recipe has a group",
            (true, false) => "as expected",
            (false, _) => "not as expected",
        }
    ))?;
    verdict.properties.iter().try_for_each(|property| {
        let sign = if property.is_as_expected() { "=" } else { "!" };
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

fn describe_rows(rows: &[RowsVerdict]) -> Result<()> {
    if rows.is_empty() {
        return output::print("");
    }
    let unit = if rows.iter().all(|rows| rows.counted) {
        "rows"
    } else {
        "entries"
    };
    let mut table = columns([
        "recipe",
        unit,
        "tablets",
        "least",
        "mean",
        "largest",
        "fullest / mean",
        "evenness",
    ]);
    for rows in rows {
        table.add_row([
            rows.recipe.escape_debug().to_string(),
            Grouped(rows.total).to_string(),
            rows.tablets.to_string(),
            Grouped(rows.least).to_string(),
            format!("{:.1}", rows.load.load.mean),
            Grouped(rows.largest).to_string(),
            skew(&rows.load.load),
            evenness(rows),
        ]);
    }
    output::print(&format!("\n{}", table.trim_fmt()))
}

/// Prints the loads of tablets and servers: the fullest of each, and its place.
fn describe_loads(verdict: &Verdict) -> Result<()> {
    let unit = if verdict.counted { "rows" } else { "entries" };
    let mut table = columns(["fullest", unit, "of", "mean", "fullest / mean", "where"]);
    let mut row = |name: String, load: &Load, place: Option<String>| {
        table.add_row([
            name,
            Grouped(load.largest).to_string(),
            Grouped(load.total).to_string(),
            format!("{:.1}", load.mean),
            skew(load),
            place.unwrap_or_default(),
        ]);
    };
    let tablet = |load: &TabletLoad| load.fullest.as_ref().map(tablet_name);
    row(
        "tablet".to_owned(),
        &verdict.tablets.load,
        tablet(&verdict.tablets),
    );
    for group in &verdict.groups {
        if let (Some(load), true) = (&group.load, verdict.groups.len() > 1) {
            let name = format!("tablet of group {}", group.group.escape_debug());
            row(name, &load.load, tablet(load));
        }
    }
    let servers = &verdict.servers;
    row("server".to_owned(), &servers.load, servers.fullest.clone());
    let others = &verdict.other_rows;
    if others.rows > 0 {
        let name = format!("tablet of other {unit}");
        row(name, &others.load.load, tablet(&others.load));
    }
    output::print(&format!("\n{}\n", shown_lines(&table.trim_fmt())))
}

fn shown_lines(lines: &str) -> String {
    let lines: Vec<_> = lines.lines().map(shown).collect();
    lines.join("\n")
}

fn tablet_name(tablet: &FullestTablet) -> String {
    let end_row = tablet.end_row.as_deref().unwrap_or("(end of table)");
    match &tablet.server {
        Some(server) => format!("{end_row} on {server}"),
        None => format!("{end_row} on no server"),
    }
}

fn skew(load: &Load) -> String {
    let skew = load.skew.map(|skew| format!("{skew:.2}"));
    skew.unwrap_or_else(|| "-".to_owned())
}

fn evenness(rows: &RowsVerdict) -> String {
    let parts = match rows.salted_parts {
        Some(parts) => format!("{}, ", plural(parts, "salted part")),
        None => String::new(),
    };
    match (rows.chi_square, rows.p_value) {
        (Some(statistic), Some(p_value)) => {
            let p_value = match p_value {
                0.001.. => format!("p = {p_value:.3}"),
                1e-300.. => format!("p = {p_value:.1e}"),
                _ => "p below 1e-300".to_owned(),
            };
            let tolerated = match rows.is_slightly_uneven() {
                true => "; uneven, but fewer than a tenth are misplaced",
                false => "",
            };
            format!("{parts}chi-square {statistic:.1}, {p_value}{tolerated}")
        }
        _ if rows.load.load.standing == LoadStanding::NotCompared => "not compared".to_owned(),
        _ if !rows.counted => "rows were not counted".to_owned(),
        _ if rows.evenness_of == UniformityTest::Nothing => "nothing is expected".to_owned(),
        _ if rows.tablets == 1 => "one tablet".to_owned(),
        _ if rows.salted_parts.is_some() => format!("{parts}too few to tell"),
        _ => "too few rows to tell".to_owned(),
    }
}

fn columns<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header);
    table
}
