//! The text of a plan.

use anyhow::Result;
use fluo_keys::{Plan, Step, TabletRun};
use fluo_table::{Bytes, Escaped, Grouped};

use super::origin::Origin;
use crate::output::{self, shown};
use crate::text::{count_of, plural};

/// Maximum number of split points of a kind that are listed.
const MOST_LISTED: usize = 40;
/// Maximum number of runs of neighboring tablets that are listed for a group.
const MOST_RUNS: usize = 3;
/// Maximum number of groups that are listed.
const MOST_GROUPS: usize = 40;

/// Prints a plan for a person.
pub(crate) fn describe(plan: &Plan, prunes: bool, origin: Origin) -> Result<()> {
    let servers = plural(count_of(plan.servers()), "server");
    let splits = plural(count_of(plan.found_splits()), "split point");
    output::print(&format!(
        "Plan for table {}, which has {splits} on {servers}.",
        plan.table()
    ))?;
    if plan.is_empty() {
        output::print(&format!(
            "\nNothing to do: the table is {}.",
            origin.as_asked()
        ))?;
    } else {
        describe_changes(plan, origin)?;
    }
    if !prunes {
        describe_unrequested(plan, origin)?;
    }
    describe_groups(plan)?;
    output::print(&format!(
        "\nIn all: {} to add, {} to remove, {} to {}.",
        plural(count_of(plan.splits_to_add().len()), "split point"),
        Grouped(count_of(plan.splits_to_remove().len())),
        plural(count_of(property_steps(plan).count()), "property"),
        if plan.is_without_groups() {
            "remove"
        } else {
            "set"
        },
    ))
}

fn describe_changes(plan: &Plan, origin: Origin) -> Result<()> {
    let add = format!("to add, because {} them", origin.asks());
    describe_splits("+", plan.splits_to_add(), &add)?;
    describe_properties(plan, origin)?;
    let remove = format!("to remove, because {} them", origin.does_not_ask());
    describe_splits("-", plan.splits_to_remove(), &remove)
}

fn describe_unrequested(plan: &Plan, origin: Origin) -> Result<()> {
    let kept = format!(
        "that {}; they stay (--prune removes them)",
        origin.does_not_ask()
    );
    describe_splits("?", plan.unrequested_splits(), &kept)?;
    describe_unrequested_properties(plan, &kept)
}

fn describe_splits(sign: &str, splits: &[Bytes], what: &str) -> Result<()> {
    if splits.is_empty() {
        return Ok(());
    }
    output::print(&format!(
        "\n{} {what}:",
        plural(count_of(splits.len()), "split point")
    ))?;
    for split in splits.iter().take(MOST_LISTED) {
        output::print(&format!("  {sign} {}", Escaped(split)))?;
    }
    if splits.len() > MOST_LISTED {
        let more = Grouped(count_of(splits.len() - MOST_LISTED));
        output::print(&format!("  {sign} and {more} more; --json has all of them"))?;
    }
    Ok(())
}

fn property_steps(plan: &Plan) -> impl Iterator<Item = (String, Option<String>, String)> {
    plan.steps().into_iter().filter_map(|step| match step {
        Step::SetProperty {
            name,
            before,
            after,
        } => Some((name, before, after)),
        Step::RemoveProperty {
            name,
            before,
            inherited,
        } => {
            let after = inherited.map_or("(not set)".to_owned(), |after| {
                format!("{after} (inherited)")
            });
            Some((name, Some(before), after))
        }
        Step::AddSplits(_) | Step::RemoveSplits(_) => None,
    })
}

fn describe_properties(plan: &Plan, origin: Origin) -> Result<()> {
    let mut steps = property_steps(plan).peekable();
    if steps.peek().is_some() {
        output::print(&match plan.is_without_groups() {
            true => format!(
                "\nproperties to remove, because {} no groups:",
                origin.asks()
            ),
            false => "\nproperties to set, because the balancer has to know the groups:".to_owned(),
        })?;
    }
    for (name, before, after) in steps {
        output::print(&format!("  ~ {}", shown(&name)))?;
        output::print(&format!(
            "      before  {}",
            shown(before.as_deref().unwrap_or("(not set)"))
        ))?;
        output::print(&format!("      after   {}", shown(&after)))?;
    }
    Ok(())
}

fn describe_unrequested_properties(plan: &Plan, kept: &str) -> Result<()> {
    let mut properties = plan.unrequested_properties().peekable();
    if properties.peek().is_some() {
        output::print(&format!("\nproperties {kept}:"))?;
    }
    properties.try_for_each(|(name, value)| {
        output::print(&format!("  ? {}", shown(&format!("{name} = {value}"))))
    })
}

fn describe_groups(plan: &Plan) -> Result<()> {
    let groups = plan.groups();
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["  group", "tablets", "end rows", "on each server"]);
    for forecast in groups.iter().take(MOST_GROUPS) {
        let group = format!("  {}", forecast.group.escape_debug());
        table.add_row([
            group,
            forecast.tablets.to_string(),
            end_rows(&forecast.runs),
            range(&forecast.per_server),
        ]);
    }
    output::print(
        if plan.is_without_groups() && plan.group_pattern().is_none() {
            "\nno groups, so no property is set; every balancer spreads the tablets of the table as one:"
        } else {
            "\ngroups, as the balancer will spread them:"
        },
    )?;
    output::print(&table.trim_fmt())?;
    if groups.len() > MOST_GROUPS {
        output::print(&format!(
            "  and {} more; --json has all of them",
            groups.len() - MOST_GROUPS
        ))?;
    }
    Ok(())
}

/// Describes tablets by their end rows, as runs of neighbors.
fn end_rows(runs: &[TabletRun]) -> String {
    let end = |row: &Option<String>| row.clone().unwrap_or_else(|| "(end of table)".to_owned());
    let shown = |run: &TabletRun| match (end(&run.first_end_row), end(&run.last_end_row)) {
        (first, last) if first == last => first,
        (first, last) => format!("{first} .. {last}"),
    };
    let mut told: Vec<_> = runs.iter().take(MOST_RUNS).map(shown).collect();
    if runs.len() > MOST_RUNS {
        told.push(format!(
            "and {} more",
            plural(count_of(runs.len() - MOST_RUNS), "run")
        ));
    }
    told.join(", ")
}

fn range(per_server: &[usize]) -> String {
    match (per_server.iter().min(), per_server.iter().max()) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "(no servers)".to_owned(),
    }
}
