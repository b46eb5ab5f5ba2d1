//! A table with its wanted optimizations, and the plan of `fluo table plan` and `fluo app plan`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use fluo_keys::{Plan, Step, TableOptimizations, TabletRun};
use fluo_table::{Bytes, Error, Escaped, Grouped, TableAdmin};

use crate::atomic_file::Kind;
use crate::layout::{Columns, Heading};
use crate::output::{self, shown};
use crate::spec::{self, Expected};
use crate::target::{TargetArguments, check_exists};
use crate::text::{Abridged, and_more, counted, in_shell};
use crate::{atomic_file, exit, layout, progress, wording};

/// Maximum number of runs of neighboring tablets that are listed for a group.
const MAX_RUNS: usize = 3;

#[derive(Debug)]
pub(crate) struct Optimized {
    pub(crate) tables: Arc<dyn TableAdmin>,
    /// The error with which an embedded directory refuses changes, if it is known.
    pub(crate) unwritable: Option<Error>,
    pub(crate) table: String,
    pub(crate) optimizations: TableOptimizations,
    pub(crate) expected: Expected,
}

#[derive(Args, Debug)]
pub(crate) struct SpecTable {
    #[command(flatten)]
    pub(super) target: TargetArguments,
    /// Wanted state of the table, in TOML: [[row_hasher]] with prefix and tablets, or
    /// [[key_design]] with design, its settings, and tablets or split_points; at the top,
    /// max_skew = 2 and other_rows = "allowed"
    #[arg(long, value_name = "FILE.toml")]
    pub(super) spec: PathBuf,
    /// Name of the table
    pub(super) name: String,
}

impl SpecTable {
    pub(super) async fn open(self) -> Result<Optimized> {
        let (optimizations, expected) = spec::read(&self.spec)?;
        let (tables, unwritable) = self.target.open_checked().await?;
        check_exists(&*tables, &self.name).await?;
        Ok(Optimized { tables, unwritable, table: self.name, optimizations, expected })
    }
}

impl Optimized {
    pub(crate) async fn plan(&self, prune: bool) -> Result<Plan> {
        let looking = format!("looking at table {}", shown(&self.table));
        let plan = self.optimizations.plan(&*self.tables, &self.table);
        Ok(progress::while_it_lasts(looking, plan.prune(prune).into_future()).await?)
    }
}

#[derive(Args, Debug)]
pub(crate) struct PlanOptions {
    /// Remove split points that no recipe asks for
    #[arg(long)]
    prune: bool,
    /// Save the plan, for `fluo table apply`
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
}

const PLAN: Kind = Kind {
    name: "plan",
    check_content: |path| parsed(&atomic_file::read(path)?).map(|_| ()).map_err(anyhow::Error::msg),
};

impl PlanOptions {
    /// Plans for a spec, which the saved plan must not replace.
    pub(super) async fn run_spec(&self, table: SpecTable) -> Result<()> {
        if let Some(path) = &self.out {
            let checked = atomic_file::check_is_another(path, &table.spec, "the spec");
            checked.with_context(|| cannot_save(path))?;
        }
        self.run(table.open().await?, "").await
    }

    /// Plans, saves and prints. `despite` is an argument that applying a saved plan needs.
    pub(crate) async fn run(&self, table: Optimized, despite: &str) -> Result<()> {
        if let Some(path) = &self.out {
            PLAN.check(path).with_context(|| cannot_save(path))?;
        }
        let plan = table.plan(self.prune).await?;
        if let Some(path) = &self.out {
            let text = serde_json::to_vec_pretty(&plan)?;
            PLAN.write(path, &text).with_context(|| cannot_save(path))?;
        }
        if output::is_json() {
            output::print_json(&plan)?;
        } else {
            describe(&plan, self.prune)?;
        }
        if let Some(path) = &self.out {
            let (path, argument) = (path.display(), in_shell(path.display()));
            say!("saved as {path}; `fluo table apply --at TARGET {despite}{argument}` does it");
        }
        Ok(())
    }
}

/// Reads a plan that was saved.
pub(super) fn read_plan(path: &Path) -> Result<Plan> {
    let name = path.display();
    let plan = atomic_file::read(path).with_context(|| format!("cannot read the plan {name}"));
    let plan =
        plan.map_err(|error| exit::advised(error, "to change a table, name its spec with --spec"))?;
    parsed(&plan)
        .map_err(|cause| anyhow!("{name} is not a plan of `fluo table plan --out`: {cause}"))
}

fn parsed(plan: &[u8]) -> Result<Plan, String> {
    serde_json::from_slice(plan).map_err(|error| wording::of_json(&error))
}

fn cannot_save(path: &Path) -> String {
    format!("cannot save the plan as {}", path.display())
}

/// Prints a plan.
pub(crate) fn describe(plan: &Plan, prunes: bool) -> Result<()> {
    output::print(&described(plan, prunes, layout::output_width()))
}

/// Describes a plan in lines for a person, for a terminal of this width; `None` does not limit it.
pub(super) fn described(plan: &Plan, prunes: bool, width: Option<usize>) -> String {
    let servers = counted(plan.servers, "server");
    let splits = counted(plan.found_splits.len(), "split point");
    let mut lines =
        vec![format!("Plan for table {}, which has {splits} on {servers}.", plan.table)];
    if plan.is_empty() {
        lines.push("\nNothing to do: the table matches.".to_owned());
    }
    lines.extend(described_splits("+", &plan.splits_to_add, "to add"));
    lines.extend(described_properties(plan));
    lines.extend(described_splits("-", &plan.splits_to_remove, "to remove"));
    if !prunes {
        let kept = "that no recipe asks for; they stay (--prune removes them)";
        lines.extend(described_splits("?", &plan.unrequested_splits, kept));
        let mut properties = plan.unrequested_properties().peekable();
        if properties.peek().is_some() {
            lines.push(format!("\nproperties {kept}:"));
        }
        let line = |(name, value)| format!("  ? {}", shown(&format!("{name} = {value}")));
        lines.extend(properties.map(line));
    }
    lines.extend(described_groups(plan, width));
    let added = counted(plan.splits_to_add.len(), "split point");
    let removed = Grouped::new(plan.splits_to_remove.len());
    let (properties, verb) =
        (counted(property_steps(plan).count(), "property"), set_or_remove(plan));
    lines.push(format!("\nIn all: {added} to add, {removed} to remove, {properties} to {verb}."));
    lines.join("\n")
}

fn set_or_remove(plan: &Plan) -> &'static str {
    if plan.is_without_groups { "remove" } else { "set" }
}

fn described_splits(sign: &str, splits: &[Bytes], what: &str) -> Vec<String> {
    if splits.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("\n{} {what}:", counted(splits.len(), "split point"))];
    let mut list = Abridged::default();
    let listed = splits.iter().filter(|_| list.lists());
    lines.extend(listed.map(|split| format!("  {sign} {}", Escaped(split))));
    let more = list.rest("split point");
    lines.extend(more.map(|more| format!("  {sign} {more}; --json has all of them")));
    lines
}

fn property_steps(plan: &Plan) -> impl Iterator<Item = (String, Option<String>, String)> {
    plan.steps().into_iter().filter_map(|step| match step {
        Step::SetProperty { name, before, after } => Some((name, before, after)),
        Step::RemoveProperty { name, before, inherited } => {
            let after = inherited.map(|after| format!("{after} (inherited)"));
            Some((name, Some(before), after.unwrap_or_else(|| "(not set)".to_owned())))
        }
        Step::AddSplits(_) | Step::RemoveSplits(_) => None,
    })
}

fn described_properties(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, before, after) in property_steps(plan) {
        if lines.is_empty() {
            lines.push(format!("\nproperties to {}:", set_or_remove(plan)));
        }
        lines.push(format!("  ~ {}", shown(&name)));
        lines.push(format!("      before  {}", shown(before.as_deref().unwrap_or("(not set)"))));
        lines.push(format!("      after   {}", shown(&after)));
    }
    lines
}

fn described_groups(plan: &Plan, width: Option<usize>) -> Vec<String> {
    let groups = &plan.groups;
    let mut table = Columns::new([
        Heading::Left("group"),
        Heading::Right("tablets"),
        Heading::Right("on each server"),
        Heading::Left("end rows"),
    ]);
    let mut list = Abridged::default();
    for forecast in groups.iter().filter(|_| list.lists()) {
        table.row([
            shown(&forecast.group),
            Grouped::new(forecast.tablets).to_string(),
            range(&forecast.per_server),
            end_rows(&forecast.runs),
        ]);
    }
    let title = if plan.is_without_groups && plan.group_pattern().is_none() {
        "\nno groups, so no property is set; every balancer spreads the tablets of the table as one:"
    } else {
        "\ngroups, as the balancer will spread them:"
    };
    let mut lines = vec![title.to_owned(), table.fitted(width)];
    lines.extend(list.rest("group").map(|more| format!("  {more}; --json has all of them")));
    lines
}

fn end_rows(runs: &[TabletRun]) -> String {
    let end = |row: &Option<String>| row.clone().unwrap_or_else(|| "(end of table)".to_owned());
    let shown = |run: &TabletRun| match (end(&run.first_end_row), end(&run.last_end_row)) {
        (first, last) if first == last => first,
        (first, last) => format!("{first} .. {last}"),
    };
    let mut told: Vec<_> = runs.iter().take(MAX_RUNS).map(shown).collect();
    told.extend(and_more(runs.len(), MAX_RUNS, "range"));
    told.join(", ")
}

fn range(per_server: &[usize]) -> String {
    let count = |count: &usize| Grouped::new(*count).to_string();
    match (per_server.iter().min(), per_server.iter().max()) {
        (Some(least), Some(most)) if least == most => count(least),
        (Some(least), Some(most)) => format!("{} to {}", count(least), count(most)),
        _ => "(no servers)".to_owned(),
    }
}
